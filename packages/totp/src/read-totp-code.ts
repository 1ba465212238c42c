import { readTypedCode } from '@latchkey/store/internal'

/** Returns the six digits of a code as people type it, such as `123 456`, or `null` for anything else. */
export function readTotpCode(code: unknown): string | null {
  const digits = readTypedCode(code)
  return /^[0-9]{6}$/.test(digits) ? digits : null
}
