import { readTypedCode } from '@latchkey/store/internal'

/**
 * Crockford's base32: no letter that can be mistaken for a digit or another letter, and no `u`, which avoids most
 * words.
 */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 bits. */
export const recoveryCodeLength = 10

const characters = 16
const group = 4

/** Returns a code in groups, for people to write down: `7k2m-9q4x-…`. */
export function writeRecoveryCode(bytes: Uint8Array): string {
  let bits = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  let text = ''
  for (let index = 0; index < characters; index++, bits >>= 5n) {
    if (index > 0 && index % group === 0) text = `-${text}`
    text = alphabet.charAt(Number(bits & 31n)) + text
  }
  return text
}

/** Returns the bytes of a code as people type it, in any case, with any spaces and dashes, or `null` for anything else. */
export function readRecoveryCode(code: unknown): Uint8Array<ArrayBuffer> | null {
  const plain = readTypedCode(code).toLowerCase()
  const letters = [...plain.replace(/[il]/g, '1').replaceAll('o', '0')]
  const values = letters.map((letter) => alphabet.indexOf(letter))
  if (values.length !== characters || values.includes(-1)) return null
  const bits = values.reduce((value, five) => (value << 5n) | BigInt(five), 0n)
  return Uint8Array.from({ length: recoveryCodeLength }, (_, index) => Number((bits >> BigInt(72 - 8 * index)) & 255n))
}
