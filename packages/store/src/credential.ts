import { decodeBase64url, encodeBase64url, randomBytes } from '@latchkey/bytes'

const keyBytes = 16
const keyCharacters = 22
/** Canonical base64url of 16 bytes: the last of the 22 characters has no set bit after them. */
const keyEnding = /_[\w-]{21}[AQgw]$/

/**
 * Creates a credential, a bearer secret with a public name: a key of 16 random bytes and a random secret. Store the key and
 * a digest of the secret, never the secret or the text.
 *
 * @param kind 1 to 8 lower-case letters. It is part of the key, so that one kind never passes as another.
 * @param secretBytes 16 to 256. Default: 32.
 * @throws TypeError when the kind or the length is outside that.
 *
 * @example
 * import { sha256 } from '@latchkey/bytes'
 * import { createCredential } from '@latchkey/store'
 * const { key, secret, text } = createCredential('se') // text: 'se_…22….…43…'
 * const digest = sha256(secret) // what may be stored under the key
 */
export function createCredential(
  kind: string,
  secretBytes = 32,
): {
  /** `<kind>_<22 characters>`: names the record; may be displayed and logged, and grants no access. */
  readonly key: string
  readonly secret: Uint8Array<ArrayBuffer>
  /** `<key>.<secret in base64url>`: the text that the holder stores and presents. */
  readonly text: string
} {
  if (!/^[a-z]{1,8}$/.test(kind)) throw new TypeError('"kind" must be 1 to 8 lower-case letters')
  if (!Number.isInteger(secretBytes) || secretBytes < 16 || secretBytes > 256) {
    throw new TypeError('"secretBytes" must be an integer from 16 to 256')
  }
  const key = `${kind}_${encodeBase64url(randomBytes(keyBytes))}`
  const secret = randomBytes(secretBytes)
  return { key, secret, text: `${key}.${encodeBase64url(secret)}` }
}

/**
 * Returns the key and the secret of a presented credential, or `null` for a text of another kind or length. A
 * credential has exactly one spelling, the length is checked before the text is decoded, and no input throws. A parsed
 * credential is not verified yet: look the key up and compare digests of the secret with `equalBytes`.
 *
 * @param text the presented text; `null` or `undefined` if there is none.
 * @param secretBytes as passed to `createCredential`. Default: 32.
 * @example
 * import { createCredential, parseCredential } from '@latchkey/store'
 * const { text, key } = createCredential('se')
 * parseCredential('se', text)?.key === key // true
 * parseCredential('rt', text) // null: another kind
 */
export function parseCredential(
  kind: string,
  text: string | null | undefined,
  secretBytes = 32,
): { readonly key: string; readonly secret: Uint8Array<ArrayBuffer> } | null {
  const keyEnd = kind.length + 1 + keyCharacters
  if (typeof text !== 'string' || text.length !== keyEnd + 1 + Math.ceil((secretBytes * 4) / 3)) return null
  if (!text.startsWith(kind) || text[keyEnd] !== '.') return null
  const key = text.slice(0, keyEnd)
  if (!keyEnding.test(key)) return null
  const secret = decodeBase64url(text.slice(keyEnd + 1))
  return secret && { key, secret }
}
