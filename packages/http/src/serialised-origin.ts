/**
 * Whether a text is an http or https origin as browsers write it (RFC 6454 §6.2): lower case, no default port, no
 * path. The host is looked at beforehand, because the URL parser lets `*` and `;` stand in it.
 */
export function isSerialisedOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/.test(text)) return false
  return URL.canParse(text) && new URL(text).origin === text
}
