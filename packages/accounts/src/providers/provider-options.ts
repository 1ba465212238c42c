import type { ProviderLinks } from './provider-links.ts'

/** The options with their defaults, and the store of the links. */
export interface Providers {
  readonly links: ProviderLinks
  /** Whether a user without a linked account gets a new account. */
  readonly opensAccounts: boolean
  readonly trustedAmr: ReadonlySet<string>
  readonly undatedProofs: ReadonlySet<string>
}
