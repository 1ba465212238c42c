import { equalBytes, sha256 } from '@latchkey/bytes'
import { decodeAnyBase64 } from '../base64.ts'
import { readArgon2 } from './argon2.ts'
import { readBcrypt } from './bcrypt.ts'
import { createPbkdf2Hash } from './pbkdf2.ts'
import { isWithin, readInteger } from './phc.ts'
import { isScryptBounded } from './scrypt.ts'
import { type StoredHash, spellTyped } from './stored-hash.ts'

const encoder = new TextEncoder()

/** Reads Django's `<algorithm>$…`: every hasher that it ships and that is no bare digest. */
export function readDjango(text: string): StoredHash | null {
  const [id = '', ...fields] = text.split('$')
  if (id === 'pbkdf2_sha256') return readDjangoPbkdf2('sha256', fields)
  if (id === 'pbkdf2_sha1') return readDjangoPbkdf2('sha1', fields)
  if (id === 'argon2' && fields[0] === 'argon2id') return asDjango(readArgon2('argon2id', fields.slice(1)))
  if (id === 'scrypt') return readDjangoScrypt(fields)
  if (id === 'bcrypt') return asDjango(readBcrypt(text.slice(id.length + 1)))
  if (id === 'bcrypt_sha256') return asDjango(readBcrypt(text.slice(id.length + 1)), hexSha256)
  return null
}

function asDjango(hash: StoredHash | null, digest?: (text: string) => string): StoredHash | null {
  return hash && { ...hash, format: 'django', spell: ({ typed }) => (digest ? digest(typed) : typed) }
}

function hexSha256(text: string): string {
  return Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** `iterations$salt$hash`; Django hashes the salt as the text that it is. */
function readDjangoPbkdf2(digest: 'sha1' | 'sha256', fields: readonly string[]): StoredHash | null {
  const [iterationsText = '', saltText = '', hashText = '', ...more] = fields
  const iterations = readInteger(iterationsText)
  const hash = decodeAnyBase64(hashText)
  if (iterations === null || !hash || more.length > 0) return null
  return createPbkdf2Hash('django', { digest, salt: encoder.encode(saltText), iterations, hash })
}

/** `N$salt$r$p$hash`. */
function readDjangoScrypt(fields: readonly string[]): StoredHash | null {
  const [costText = '', saltText = '', blockSizeText = '', parallelismText = '', hashText = '', ...more] = fields
  const [cost, blockSize, parallelism] = [costText, blockSizeText, parallelismText].map(readInteger)
  const salt = encoder.encode(saltText)
  const hash = decodeAnyBase64(hashText)
  if (!cost || !blockSize || !parallelism || !hash || more.length > 0) return null
  const numbers = { cost, blockSize, parallelism }
  if (!isScryptBounded(numbers) || !isWithin(salt.length, 1, 64) || !isWithin(hash.length, 16, 64)) return null
  return {
    algorithm: 'scrypt',
    format: 'django',
    parameters: { ...numbers, saltBytes: salt.length, outputBytes: hash.length },
    spell: spellTyped,
    jobFor: (password) => ({ kind: 'scrypt', password, salt, ...numbers, length: hash.length }),
    matches: (output) => equalBytes(output, hash),
  }
}
