/**
 * Returns whether a text is an http or https origin as browsers write it (RFC 6454 §6.2): lower case, no default port,
 * no path. The host is checked first, because the URL parser accepts `*` and `;` in it.
 */
export function isSerialisedOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/.test(text)) return false
  return URL.canParse(text) && new URL(text).origin === text
}

const applicationOrigin =
  /^(?!(?:https?|wss?|ftp|file|data|blob|about|javascript|filesystem|null):)[a-z][a-z\d+.-]*:\/\/[\w.-]+(?::\d+)?$/

/**
 * Returns whether a text is the origin of an application shell, whose pages have their own scheme, for example
 * `capacitor://localhost`.
 */
export function isApplicationOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || !applicationOrigin.test(text)) return false
  const url = URL.parse(text)
  return url !== null && `${url.protocol}//${url.host}` === text
}
