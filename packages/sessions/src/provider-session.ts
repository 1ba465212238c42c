import { isStoredText, type StoredCheck, storedObject, storedOrNull, storedOrOmitted } from '@latchkey/store/internal'

/** The sign-in at a provider that a session or family came of: a logout there may name it. */
export interface ProviderSession {
  /** The provider's `iss`. */
  readonly issuer: string
  /** The provider's `sub`. */
  readonly subject: string
  /** The provider's `sid` (OpenID Connect Back-Channel Logout 1.0 §2.1); `null`: it names none. */
  readonly sid: string | null
}

const isProviderSession = storedObject({ issuer: isStoredText, subject: isStoredText, sid: storedOrNull(isStoredText) })

/** Absent in most sessions and families, which started without a provider. */
export const isStoredProvider: StoredCheck = storedOrOmitted(isProviderSession)

/** Returns the member of a value to store. */
export function providerMember(provider: ProviderSession | null | undefined): { readonly provider?: ProviderSession } {
  if (!provider) return {}
  const { issuer, subject, sid } = provider
  return { provider: { issuer, subject, sid } }
}
