/** The purpose of a callback that a signed-in user started. */
export type ProviderPurpose = 'link' | 'confirm'

/**
 * Returns whether a callback was started in that session and for that purpose: its `binding` is the purpose, a colon
 * and the key of the session. A callback for one purpose is not accepted for the other.
 *
 * @param key `null`: the session is not known, and the result is `false`.
 */
export function isBoundTo(binding: string | null, purpose: ProviderPurpose, key: string | null): boolean {
  return key !== null && binding === `${purpose}:${key}`
}
