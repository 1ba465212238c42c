/** What an application and a provider agree on, once: the page of a provider for developers is where it is entered. */
export interface Registration {
  /** Who the provider is. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Where the provider sends browsers back to, byte for byte. */
  readonly redirectUri: string
  /** Where the provider says that a session there has ended. */
  readonly logoutUri: string
}
