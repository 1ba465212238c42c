import { equalBytes } from '@latchkey/bytes'
import type { StoredHash } from './stored-hash.ts'

const notation = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const cost = { cost: 16_384, blockSize: 16, parallelism: 1 } as const

/** Reads better-auth's `salt:key`: scrypt, the salt hashed as the text of its hexadecimal digits, the password as NFKC. */
export function readBetterAuth(text: string): StoredHash | null {
  const [, salt, key] = notation.exec(text) ?? []
  if (!salt || !key) return null
  const hash = Uint8Array.from({ length: 64 }, (_, index) => Number.parseInt(key.slice(2 * index, 2 * index + 2), 16))
  return {
    algorithm: 'scrypt',
    format: 'better-auth',
    parameters: { ...cost, saltBytes: 16, outputBytes: 64 },
    spell: ({ typed }) => typed.normalize('NFKC'),
    jobFor: (password) => ({ kind: 'scrypt', password, salt: new TextEncoder().encode(salt), ...cost, length: 64 }),
    matches: (output) => equalBytes(output, hash),
  }
}
