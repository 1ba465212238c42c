/** The length limit in UTF-16 units. A longer text is not a code. */
const longest = 100

/**
 * Normalizes a typed or pasted code: digits of any script become ASCII digits, and spaces, dashes and invisible
 * characters are removed. Letters and signs stay. Returns `''` for a value that is not a text, or has more than 100
 * characters.
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
