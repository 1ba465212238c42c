import {
  decodeBase64url,
  deriveSecrets,
  encodeBase64url,
  equalBytes,
  hmacSha256,
  randomToken,
  type SecretKeys,
} from '@latchkey/bytes'

/** Makes and checks tokens that belong to one session. */
export interface CsrfTokens {
  create(sessionKey: string): string
  verify(token: string | null | undefined, sessionKey: string): boolean
}

const nonceBytes = 16
const format = /^([\w-]{1,32})\.([\w-]{22})\.([\w-]{43})$/

/** A token is `<key id>.<nonce>.<HMAC of nonce and session key>`; the nonce keeps compression from telling it (BREACH). */
export function createCsrfTokens(secrets: SecretKeys): CsrfTokens {
  const derived = deriveSecrets(secrets, 'csrf-token')
  const macOf = (key: Uint8Array, nonce: string, sessionKey: string) => hmacSha256(key, `${nonce}.${sessionKey}`)
  return {
    create(sessionKey) {
      if (sessionKey === '') throw new TypeError('"sessionKey" must not be empty')
      const nonce = randomToken(nonceBytes)
      return `${derived[0].id}.${nonce}.${encodeBase64url(macOf(derived[0].bytes, nonce, sessionKey))}`
    },
    verify(token, sessionKey) {
      const [, id, nonce, mac] = format.exec(token ?? '') ?? []
      const secret = derived.find((candidate) => candidate.id === id)
      const shown = decodeBase64url(mac ?? '')
      if (!secret || !nonce || !shown || sessionKey === '') return false
      return equalBytes(shown, macOf(secret.bytes, nonce, sessionKey))
    },
  }
}
