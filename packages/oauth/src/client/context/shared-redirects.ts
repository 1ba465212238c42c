import type { RecordStore } from '@latchkey/store'
import type { OAuthClientOptions } from './client-options.ts'

interface Use {
  readonly issuer: string
  readonly isShared: boolean
}

/** The clients of an application share a store. */
const uses = new WeakMap<RecordStore, Map<string, Use>>()

/**
 * Prevents that two providers answer at the same URI unnoticed: one could answer for the other (mix-up, RFC 9700 §4.4).
 *
 * @throws TypeError for a redirect URI of another provider's client, unless both clients set `sharesRedirectUri`.
 */
export function claimRedirect({ records, redirectUri, provider, sharesRedirectUri = false }: OAuthClientOptions): void {
  const claimed = uses.get(records) ?? new Map<string, Use>()
  uses.set(records, claimed)
  const other = claimed.get(redirectUri)
  const isMistake =
    other && (other.isShared !== sharesRedirectUri || (other.issuer !== provider.issuer && !other.isShared))
  if (isMistake) {
    throw new TypeError(
      '"redirectUri" is that of another provider: choose one for each, or set "sharesRedirectUri" on all of them',
    )
  }
  claimed.set(redirectUri, { issuer: provider.issuer, isShared: sharesRedirectUri })
}
