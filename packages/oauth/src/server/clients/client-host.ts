/**
 * Returns the host of a `client_id` that is a URL: nobody registered its client. `null`: the id is one of registration, which has
 * no colon.
 */
export function hostOfClientId(id: string): string | null {
  return /^https?:\/\//.test(id) && URL.canParse(id) ? new URL(id).host : null
}
