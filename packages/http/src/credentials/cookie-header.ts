/** What a `Cookie` header holds under one name. */
export interface FoundCookies {
  /** How many cookies have this name or one that other software could take for it. */
  readonly count: number
  /** The value of the last one that has exactly this name, and a well-formed value. */
  readonly value: string | null
}

/** RFC 6265 §4.1.1 `cookie-octet`: no quotes, white space, comma, semicolon, backslash. */
const cookieValue = /^[!#-+\--:<-[\]-~]+$/

/** Whether a text can be the value of a cookie without encoding. */
export function isCookieValue(text: string): boolean {
  return typeof text === 'string' && cookieValue.test(text)
}

/**
 * Looks for a cookie as strictly as RFC 6265 §4.2.1 writes it and as loosely as a lenient parser reads it. The `cookie`
 * package takes the first of several and trims their names, which is how a planted cookie wins.
 *
 * It goes through the header once and makes nothing of cookies with other names: every request has some.
 */
export function findCookies(header: string, name: string): FoundCookies {
  const loose = name.toLowerCase()
  let count = 0
  let value: string | null = null
  let separator = -1
  for (let start = 0; start <= header.length; ) {
    const pairEnd = indexOrEnd(header, ';', start)
    // Looked for only once it is behind: a header full of semicolons is gone through once, too.
    if (separator < start) separator = indexOrEnd(header, '=', start)
    const nameEnd = Math.min(separator, pairEnd)
    if (isLooselyNamed(header, start, nameEnd, loose)) {
      count++
      const isExact = nameEnd < pairEnd && isNamed(header, start, nameEnd, name)
      value = isExact ? readValue(header, nameEnd + 1, pairEnd) : null
    }
    start = pairEnd + 1
  }
  return { count, value }
}

function indexOrEnd(header: string, character: string, start: number): number {
  const index = header.indexOf(character, start)
  return index < 0 ? header.length : index
}

function readValue(header: string, start: number, end: number): string | null {
  for (let index = start; index < end; index++) {
    if ((octets[header.charCodeAt(index)] ?? 0) === 0) return null
  }
  return start < end ? header.slice(start, end) : null
}

/** Exactly, but for one space that belongs to the separator before it. More of them are padding. */
function isNamed(header: string, start: number, end: number, name: string): boolean {
  const from = start > 0 && header[start] === ' ' ? start + 1 : start
  return end - from === name.length && header.startsWith(name, from)
}

/**
 * Without everything that is not a token character (RFC 9110 §5.6.2): padding, quotes, controls, other alphabets; and
 * in any case.
 */
function isLooselyNamed(header: string, start: number, end: number, loose: string): boolean {
  let matched = 0
  for (let index = start; index < end; index++) {
    const letter = tokenLetters[header.charCodeAt(index)] ?? 0
    if (letter === 0) continue
    if (letter !== loose.charCodeAt(matched)) return false
    matched++
  }
  return matched === loose.length
}

/** 1 for each character of ASCII that a value may have. */
const octets = Uint8Array.from({ length: 128 }, (_none, code) => Number(isCookieValue(String.fromCharCode(code))))

/** For each character of ASCII its lower case, and 0 for those that a token does not have. */
const tokenLetters = Uint8Array.from({ length: 128 }, (_none, code) => {
  const letter = String.fromCharCode(code)
  return /[\w!#$%&'*+.^`|~-]/.test(letter) ? letter.toLowerCase().charCodeAt(0) : 0
})
