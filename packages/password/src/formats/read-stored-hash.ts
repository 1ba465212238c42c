import { readArgon2 } from './argon2.ts'
import { readAspNetIdentity } from './aspnet-identity.ts'
import { readBcrypt } from './bcrypt.ts'
import { type DigestLayer, digestBytes, readDigestLayer, type WeakDigest } from './digest-layer.ts'
import { readDjango } from './django.ts'
import { readFirebaseScrypt } from './firebase-scrypt.ts'
import { readPbkdf2 } from './pbkdf2.ts'
import { readBetterAuth, readScrypt } from './scrypt.ts'
import type { StoredHash } from './stored-hash.ts'

/** A parsed stored text: the steps before the hash, then the hash itself. */
export interface LayeredHash {
  /** The weak digest that was wrapped. */
  readonly digest: DigestLayer | null
  /** The key of the pepper's HMAC. */
  readonly pepperKeyId: string | null
  readonly hash: StoredHash
}

/** Longer than anything that is read, and short enough to look at. */
const maximumLength = 1024

/**
 * Parses a stored text. Returns `null` if no password could verify against it: unknown, malformed, truncated, or with
 * parameters out of bounds. Computes no hash and never throws.
 */
export function readStoredHash(text: unknown): LayeredHash | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > maximumLength) return null
  if (text.startsWith('$')) return readLayers(text.slice(1).split('$'))
  const hash = readDjango(text) ?? readBetterAuth(text) ?? readAspNetIdentity(text)
  return hash && { digest: null, pepperKeyId: null, hash }
}

/** The algorithms of hashes after a digest or a pepper, which only this package writes. */
const written: readonly string[] = ['argon2id', 'scrypt', 'bcrypt']

/** Reads `$md5…$hmac-sha256$k=<id>$argon2id$…`, from left to right in the order of the computation. */
function readLayers(fields: readonly string[]): LayeredHash | null {
  const [id = '', next = ''] = fields
  const wrapped = isWeakDigest(id) ? readDigestLayer(id, next) : null
  const afterDigest = fields.slice(wrapped?.fields ?? 0)
  const pepperKeyId = afterDigest[0] === 'hmac-sha256' ? readKeyId(afterDigest[1]) : null
  const afterPepper = pepperKeyId === null ? afterDigest : afterDigest.slice(2)
  const hash = readModular(afterPepper)
  const hasLayers = wrapped !== null || pepperKeyId !== null
  if (!hash || (hasLayers && !written.includes(hash.algorithm))) return null
  return { digest: wrapped?.layer ?? null, pepperKeyId, hash }
}

function readModular(fields: readonly string[]): StoredHash | null {
  const [id = '', ...rest] = fields
  if (id === 'argon2id' || id === 'argon2i') return readArgon2(id, rest)
  if (id === 'scrypt') return readScrypt(rest)
  if (id === 'fbscrypt') return readFirebaseScrypt(rest)
  if (id.startsWith('pbkdf2')) return readPbkdf2(id, rest)
  return readBcrypt(`$${fields.join('$')}`)
}

function isWeakDigest(id: string): id is WeakDigest {
  return Object.hasOwn(digestBytes, id)
}

function readKeyId(field: string | undefined): string | null {
  return /^k=([\w-]{1,32})$/.exec(field ?? '')?.[1] ?? null
}
