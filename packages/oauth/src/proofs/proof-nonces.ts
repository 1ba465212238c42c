import { encodeBase64url, equalBytes, hmacSha256, type SecretKeys } from '@latchkey/bytes'

/** Nonces of proofs (RFC 9449 §8), for clients with a wrong clock. A nonce contains its creation time. */
export interface ProofNonces {
  create(): string
  /** Returns the expiry of a nonce in epoch milliseconds; `null`: unknown, expired, or from the future. */
  endOf(nonce: unknown): number | null
}

export interface ProofNoncesOptions {
  /** The first secret creates nonces; all secrets verify them. */
  readonly secrets: SecretKeys
  readonly now: () => number
}

const lifetimeSeconds = 300
/** The accepted difference between the clocks of processes. */
const toleranceSeconds = 5

const format = /^(\d{1,12})\.[\w-]{43}$/

export function createProofNonces({ secrets, now }: ProofNoncesOptions): ProofNonces {
  const nonceOf = (createdAt: string, [{ bytes }]: SecretKeys): string =>
    `${createdAt}.${encodeBase64url(hmacSha256(bytes, createdAt))}`
  return {
    create: () => nonceOf(String(Math.floor(now() / 1000)), secrets),
    endOf(nonce) {
      const [text = '', createdAt = ''] = (typeof nonce === 'string' && format.exec(nonce)) || []
      const age = Math.floor(now() / 1000) - Number(createdAt)
      if (text === '' || age < -toleranceSeconds || age > lifetimeSeconds) return null
      const isOurs = secrets.some((secret) => isEqual(text, nonceOf(createdAt, [secret])))
      return isOurs ? (Number(createdAt) + lifetimeSeconds) * 1000 : null
    },
  }
}

function isEqual(left: string, right: string): boolean {
  const encoder = new TextEncoder()
  return equalBytes(encoder.encode(left), encoder.encode(right))
}
