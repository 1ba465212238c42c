/** Longer ones are no codes, however many spaces they have. */
const longest = 32

/** Returns the six digits of a code as people type it, `123 456` among them, or `null` for anything else. */
export function readTotpCode(code: unknown): string | null {
  if (typeof code !== 'string' || code.length > longest) return null
  const digits = code.replace(/\s/g, '')
  return /^[0-9]{6}$/.test(digits) ? digits : null
}
