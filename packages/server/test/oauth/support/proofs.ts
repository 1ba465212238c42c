import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

/** A key of a client, and the proofs that it makes with it. */
export interface ProofMaker {
  /** Returns a DPoP proof (RFC 9449 §4.2). */
  prove(parts: ProofParts): string
}

export interface ProofParts {
  readonly method: string
  readonly url: string
  /** Epoch milliseconds. */
  readonly at: number
  /** The access token that it is shown with. */
  readonly token?: string
  readonly nonce?: string
}

export function createProofMaker(): ProofMaker {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    prove({ method, url, at, token, ...more }) {
      const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
      const claims = { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(at / 1000), ...ath, ...more }
      const signed = `${encode({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}
