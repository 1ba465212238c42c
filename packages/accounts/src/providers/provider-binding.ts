/** What a callback was begun for by who is signed in. */
export type ProviderPurpose = 'link' | 'confirm'

/**
 * Returns whether a callback was begun in that session and for that purpose: its `binding` is `link:` or `confirm:` and the key of the
 * session, so that a callback for one of both is none for the other.
 *
 * @param key `null`: no session is known, and nothing is of it.
 */
export function isBoundTo(binding: string | null, purpose: ProviderPurpose, key: string | null): boolean {
  return key !== null && binding === `${purpose}:${key}`
}
