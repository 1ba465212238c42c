import { encodeBase64url, equalBytes, hmacSha256, type SecretKeys } from '@latchkey/bytes'

/** Nonces of proofs (RFC 9449 §8), for clients whose clock is wrong: a nonce says by itself when it was created. */
export interface ProofNonces {
  create(): string
  /** Returns when a nonce ends, epoch milliseconds, or `null`: it is none of these, has ended, or is of a time to come. */
  endOf(nonce: unknown): number | null
}

export interface ProofNoncesOptions {
  /** The first secret creates nonces, each of them reads them. */
  readonly secrets: SecretKeys
  readonly now: () => number
}

const lifetimeSeconds = 300
/** By how much the clocks of processes may differ. */
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
