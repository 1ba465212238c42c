import { type Gcm, tagLength } from './gcm.ts'

interface Cipher {
  setAAD(data: Uint8Array): void
  update(data: Uint8Array): Uint8Array
  final(): Uint8Array
  getAuthTag(): Uint8Array
  setAuthTag(tag: Uint8Array): void
}
type CreateCipher = (
  algorithm: 'aes-256-gcm',
  key: Uint8Array,
  nonce: Uint8Array,
  options: { readonly authTagLength: number },
) => Cipher
interface NodeCrypto {
  readonly createCipheriv: CreateCipher
  readonly createDecipheriv: CreateCipher
}

declare const process: { getBuiltinModule(id: 'node:crypto'): NodeCrypto }

const options = { authTagLength: tagLength }

/** For Node.js and runtimes with its API: a small value is opened at once, where Web Crypto waits for the thread pool. */
export const gcm: Gcm = {
  async seal(key, nonce, plaintext, context) {
    const cipher = process.getBuiltinModule('node:crypto').createCipheriv('aes-256-gcm', key, nonce, options)
    cipher.setAAD(context)
    const ciphertext = cipher.update(plaintext)
    // A mode of streams: nothing is left for the end.
    cipher.final()
    const sealed = new Uint8Array(ciphertext.length + tagLength)
    sealed.set(ciphertext)
    sealed.set(cipher.getAuthTag(), ciphertext.length)
    return sealed
  },
  async open(key, nonce, sealed, context) {
    const end = sealed.length - tagLength
    if (end < 0) return null
    const cipher = process.getBuiltinModule('node:crypto').createDecipheriv('aes-256-gcm', key, nonce, options)
    cipher.setAAD(context)
    cipher.setAuthTag(sealed.subarray(end))
    const plaintext = new Uint8Array(cipher.update(sealed.subarray(0, end)))
    return isGenuine(cipher) ? plaintext : null
  },
}

/** Returns whether the tag belongs to the bytes. Decrypted bytes must not be used before this check. */
function isGenuine(cipher: Cipher): boolean {
  try {
    cipher.final()
    return true
  } catch {
    return false
  }
}
