/** The registration of an application at a provider. A public provider has a page for developers to enter it. */
export interface Registration {
  /** The URL that identifies the provider. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The provider redirects browsers to this URL, which it compares byte for byte. */
  readonly redirectUri: string
  /** The provider posts logout tokens to this URL, when a user signs out there. */
  readonly logoutUri: string
}
