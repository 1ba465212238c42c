import type { Hashes } from './hashes.ts'

interface Hasher {
  update(data: string | Uint8Array): Hasher
  digest(): Uint8Array
  digest(encoding: 'latin1'): string
}
interface NodeCrypto {
  hash?(algorithm: 'sha256', data: string | Uint8Array, encoding: 'latin1'): string
  createHash(algorithm: 'sha256'): Hasher
  createHmac(algorithm: 'sha256', key: SecretKeyObject): Hasher
  createSecretKey(key: Uint8Array): SecretKeyObject
}
type SecretKeyObject = object

declare const process: { getBuiltinModule(id: 'node:crypto'): NodeCrypto }

let loaded: NodeCrypto | null = null

/**
 * Loaded by the first hash rather than by the import: it takes as long to load as all packages of Latchkey together.
 */
function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

const lastBlock = new Uint8Array([1])

/** For Node.js and runtimes with its API: several times faster than portable code. */
export const hashes: Hashes = {
  sha256: (data) => toBytes(digest(data)),
  isSha256Of(given, data) {
    const text = digest(data)
    let difference = given.length ^ text.length
    for (let index = 0; index < text.length; index++) difference |= text.charCodeAt(index) ^ (given[index] ?? 0)
    return difference === 0
  },
  hmac: (key, data) => toBytes(createHmac(key).update(data).digest('latin1')),
  hkdf(secret, info) {
    // RFC 5869 for one block: `hkdfSync` accepts at most 1024 bytes of `info`.
    const extracted = createHmac(new Uint8Array(32)).update(secret).digest()
    return toBytes(createHmac(extracted).update(info).update(lastBlock).digest('latin1'))
  },
}

/** That bytes are no key object Node.js finds out by throwing two errors, which takes three times as long as the HMAC. */
function createHmac(key: Uint8Array): Hasher {
  const crypto = nodeCrypto()
  return crypto.createHmac('sha256', crypto.createSecretKey(key))
}

/** A string with one character per byte costs half as much as a buffer in native memory. */
function digest(data: string | Uint8Array): string {
  const crypto = nodeCrypto()
  return crypto.hash?.('sha256', data, 'latin1') ?? crypto.createHash('sha256').update(data).digest('latin1')
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}
