import type { ProviderLinks } from './provider-links.ts'

/** The options with their defaults, and where links are kept. */
export interface Providers {
  readonly links: ProviderLinks
  /** Whether a user whom no account is linked to gets one. */
  readonly opensAccounts: boolean
  readonly trustedAmr: ReadonlySet<string>
  readonly undatedProofs: ReadonlySet<string>
}
