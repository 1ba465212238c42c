/** What a `Cookie` header holds under one name. */
export interface FoundCookies {
  /** How many cookies have this name or one that other software could take for it. */
  readonly count: number
  /** The value of the last one that has exactly this name, and a well-formed value. */
  readonly value: string | null
}

/** RFC 6265 §4.1.1 `cookie-octet`: no quotes, white space, comma, semicolon, backslash. */
const cookieValue = /^[!#-+\--:<-[\]-~]+$/

/** Tells whether a text can stand in a cookie as it is. */
export function isCookieValue(text: string): boolean {
  return typeof text === 'string' && cookieValue.test(text)
}

/**
 * Looks for a cookie as strictly as RFC 6265 §4.2.1 writes it and as loosely as a lenient parser reads it. The `cookie`
 * package takes the first of several and trims their names, which is how a planted cookie wins.
 */
export function findCookies(header: string, name: string): FoundCookies {
  const loose = name.toLowerCase()
  let count = 0
  let value: string | null = null
  for (const [index, pair] of header.split(';').entries()) {
    const separator = pair.indexOf('=')
    const shown = separator < 0 ? pair : pair.slice(0, separator)
    if (looseName(shown) !== loose) continue
    count++
    const text = pair.slice(separator + 1)
    // One space belongs to the separator. More of them are padding.
    const isExact = shown === name || (index > 0 && shown === ` ${name}`)
    value = isExact && separator >= 0 && isCookieValue(text) ? text : null
  }
  return { count, value }
}

/** Without everything that is not a token character (RFC 9110 §5.6.2): padding, quotes, controls, other alphabets. */
function looseName(shown: string): string {
  return shown.replace(/[^\w!#$%&'*+.^`|~-]/g, '').toLowerCase()
}
