/** The cookies of a request by their names in lower case, without cookies whose name is invalid. */
export type SentCookies = ReadonlyMap<string, SentCookie>

export interface SentCookie {
  /** As it was sent. */
  readonly name: string
  /** `null`: malformed, or other software could take another cookie of the request for this one. */
  readonly value: string | null
}

/** RFC 6265 §4.1.1 `cookie-octet`: no quotes, white space, comma, semicolon, backslash. */
const cookieValue = /^[!#-+\--:<-[\]-~]+$/

/** Whether a text can be the value of a cookie without encoding. */
export function isCookieValue(text: string): boolean {
  return typeof text === 'string' && cookieValue.test(text)
}

const none: SentCookies = new Map()

/**
 * Returns the cookies of a header, which are read as strictly as RFC 6265 §4.2.1 writes them and told apart as loosely as a
 * lenient parser does. The `cookie` package takes the first of several and trims their names, which is how a planted cookie
 * wins.
 */
export function readCookies(header: string | null | undefined): SentCookies {
  if (!header) return none
  const cookies = new Map<string, SentCookie>()
  for (const [index, pair] of header.split(';').entries()) {
    const separator = pair.indexOf('=')
    const text = separator < 0 ? pair : pair.slice(0, separator)
    // One space belongs to the separator before it. More of them are padding.
    const name = index > 0 && text.startsWith(' ') ? text.slice(1) : text
    const loose = looseName(name)
    const value = separator < 0 ? '' : pair.slice(separator + 1)
    const isSole = !cookies.has(loose) && cookieValue.test(value)
    cookies.set(loose, { name, value: isSole ? value : null })
  }
  return cookies
}

/**
 * Returns a name in lower case and without everything that is not a token character (RFC 9110 §5.6.2): padding, quotes,
 * controls, other alphabets.
 */
function looseName(name: string): string {
  return name.replace(/[^\w!#$%&'*+.^`|~-]+/g, '').toLowerCase()
}
