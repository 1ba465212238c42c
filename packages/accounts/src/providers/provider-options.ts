import type { LinkStore } from '@latchkey/store'

/** The options with their defaults, and where links are kept. */
export interface Providers {
  readonly links: LinkStore
  /** Whether a user whom no account is linked to gets one. */
  readonly opensAccounts: boolean
  readonly trustedAmr: ReadonlySet<string>
  readonly undatedProofs: ReadonlySet<string>
}
