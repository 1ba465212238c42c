/** In UTF-16 units. A longer text is no code, whatever stands between its characters. */
const longest = 100

/**
 * Returns a code as people type and paste it: digits of any script as ASCII digits, without spaces, dashes and invisible
 * characters. Letters and signs stay as they are. Returns `''` if it is no text, or longer than 100.
 */
export function readTypedCode(code: unknown): string {
  if (typeof code !== 'string' || code.length > longest) return ''
  return code.replace(/[\s\p{Pd}\p{Cf}]/gu, '').replace(/\p{Nd}/gu, toAsciiDigit)
}

/** The digits of a script stand together, from 0 to 9, and scripts may follow one another (Unicode 4.6). */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0
  let first = codePoint
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first--
  return String((codePoint - first) % 10)
}
