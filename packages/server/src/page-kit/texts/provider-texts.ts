/** Texts for providers. `{provider}` is the label of a provider. */
export interface ProviderTexts {
  readonly 'provider.sign-in': string
  readonly 'provider.sign-up': string
  readonly 'provider.confirm': string
  readonly 'provider.link': string
  readonly 'provider.confirm-why': string
  readonly 'provider.leaving': string
  readonly 'provider.go-on': string
  readonly 'provider.continue': string
  readonly 'provider.refused': string
  readonly 'provider.denied': string
  readonly 'provider.lost': string
  readonly 'provider.invalid': string
  readonly 'provider.unavailable': string
  readonly 'provider.unlinked': string
  readonly 'provider.not-linked': string
  readonly 'provider.not-confirmed': string
  readonly 'provider.other-way': string
  readonly 'provider.set-password': string
  readonly 'provider.code': string
  readonly 'provider.why': string
  readonly 'provider.none': string
  readonly 'provider.since': string
  readonly 'provider.unlink': string
  readonly 'provider.gone': string
  readonly 'provider.add': string
}
