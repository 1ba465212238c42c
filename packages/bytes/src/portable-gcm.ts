import type { Gcm } from './gcm.ts'

/** Web Crypto needs `CryptoKey` objects, which are cached for the lifetime of the bytes that they were made of. */
const keys = new WeakMap<Uint8Array, Promise<CryptoKey>>()

/** For runtimes without the API of Node.js. */
export const gcm: Gcm = {
  async seal(key, nonce, plaintext, context) {
    const sealed = await crypto.subtle.encrypt(algorithmOf(nonce, context), await keyOf(key), new Uint8Array(plaintext))
    return new Uint8Array(sealed)
  },
  async open(key, nonce, sealed, context) {
    const imported = await keyOf(key)
    const opening = crypto.subtle.decrypt(algorithmOf(nonce, context), imported, new Uint8Array(sealed))
    const opened = await opening.catch(nullIfForged)
    return opened && new Uint8Array(opened)
  },
}

function keyOf(bytes: Uint8Array): Promise<CryptoKey> {
  const known = keys.get(bytes)
  if (known) return known
  const key = crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
  keys.set(bytes, key)
  return key
}

function algorithmOf(nonce: Uint8Array, context: Uint8Array): AesGcmParams {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(context) }
}

/**
 * Web Crypto throws an `OperationError` for a wrong tag, which is a verdict. Anything else is a failure of the
 * platform.
 */
function nullIfForged(error: unknown): null {
  if (error instanceof Error && error.name === 'OperationError') return null
  throw error
}
