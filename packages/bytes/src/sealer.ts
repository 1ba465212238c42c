import { checkOptionNames } from '@latchkey/core/internal'
import { gcm } from '#gcm'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { deriveSecrets } from './derive-secrets.ts'
import { randomBytes } from './random.ts'
import type { SecretKeys } from './secret-key.ts'

/** Encrypts small values so that they cannot be read, changed or moved to another context. */
export interface Sealer {
  /**
   * Returns a box that only `open` with the same purpose and context can read.
   *
   * @param context the owner of the value, for example an account id. It is authenticated, not stored.
   */
  seal(plaintext: Uint8Array, context: string): Promise<string>
  /** Returns the value, or `null` when the box was sealed elsewhere, altered, or belongs to another context. */
  open(box: string, context: string): Promise<Uint8Array<ArrayBuffer> | null>
}

const nonceLength = 12
const encoder = new TextEncoder()

/**
 * Creates a sealer: AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D), as `<key id>.<base64url>`. Rotate a
 * secret before it has sealed 2^32 values.
 *
 * @throws TypeError when an option is unknown, a secret is not valid or the purpose is empty.
 *
 * @example
 * import { createSealer, randomBytes } from '@latchkey/bytes'
 * const sealer = createSealer({ secrets: [{ id: '2026-01', bytes: randomBytes(32) }], purpose: 'totp-secret' })
 * const box = await sealer.seal(new Uint8Array([1, 2, 3]), 'acc_1')
 * await sealer.open(box, 'acc_2') // null
 */
export function createSealer(options: {
  /** The first secret seals, all of them open. Each purpose derives its own keys from them. */
  readonly secrets: SecretKeys
  /** The kind of the sealed values, for example `totp-secret`. A box does not open under another purpose. */
  readonly purpose: string
}): Sealer {
  const { secrets, purpose } = checkOptionNames('createSealer', options, { secrets: true, purpose: true })
  const derived = deriveSecrets(secrets, `seal/${purpose}`)
  return {
    async seal(plaintext, context) {
      const nonce = randomBytes(nonceLength)
      const [{ id, bytes }] = derived
      const sealed = await gcm.seal(bytes, nonce, plaintext, encoder.encode(context))
      const box = new Uint8Array(nonceLength + sealed.length)
      box.set(nonce)
      box.set(sealed, nonceLength)
      return `${id}.${encodeBase64url(box)}`
    },
    async open(box, context) {
      const separator = box.indexOf('.')
      const secret = derived.find(({ id }) => id === box.slice(0, separator))
      const bytes = separator < 0 ? null : decodeBase64url(box.slice(separator + 1))
      if (!secret || !bytes || bytes.length <= nonceLength) return null
      const [nonce, sealed] = [bytes.subarray(0, nonceLength), bytes.subarray(nonceLength)]
      return gcm.open(secret.bytes, nonce, sealed, encoder.encode(context))
    },
  }
}
