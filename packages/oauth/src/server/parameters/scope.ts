/** A scope-token (RFC 6749 §3.3). */
const scopeToken = /^[!#-[\]-~]{1,128}$/

/**
 * Returns the scopes of a `scope` parameter in order, without duplicates; `null`: the text is not a list of scopes (RFC 6749
 * §3.3). Additional spaces are ignored, because clients that join lists send them.
 */
export function parseScope(text: string): readonly string[] | null {
  const tokens = text.split(' ').filter((token) => token !== '')
  return tokens.length > 0 && tokens.length <= 100 && tokens.every(isScopeToken) ? [...new Set(tokens)] : null
}

/** Whether a text can be one scope. */
export function isScopeToken(text: unknown): text is string {
  return typeof text === 'string' && scopeToken.test(text)
}
