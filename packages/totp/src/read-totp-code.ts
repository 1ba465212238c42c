import { readTypedCode } from '@latchkey/store/internal'

/** Returns the six digits of a typed code, for example `123 456`, or `null` for any other text. */
export function readTotpCode(code: unknown): string | null {
  const digits = readTypedCode(code)
  return /^[0-9]{6}$/.test(digits) ? digits : null
}
