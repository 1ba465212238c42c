/**
 * Returns the host of a `client_id` that is a URL, which belongs to an unregistered client. `null`: the id belongs to a
 * registered client and has no colon.
 */
export function hostOfClientId(id: string): string | null {
  return /^https?:\/\//.test(id) && URL.canParse(id) ? new URL(id).host : null
}
