import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** A client's own key, and what it signs with it. */
export interface Signer {
  readonly algorithm: string
  readonly publicJwk: JWK & { readonly kid: string }
  readonly privateJwk: JWK
  /** Its `cnf.jkt`. */
  readonly thumbprint: string
  sign(header: object, payload: object): Promise<string>
}

export async function createSigner(algorithm: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(publicKey)
  const thumbprint = await calculateJwkThumbprint(jwk)
  return {
    algorithm,
    publicJwk: { ...jwk, kid: thumbprint.slice(0, 8) },
    privateJwk: await exportJWK(privateKey),
    thumbprint,
    sign: (header, payload) =>
      new SignJWT(payload as JWTPayload).setProtectedHeader({ alg: algorithm, ...header }).sign(privateKey),
  }
}

/** What a DPoP proof says: for `POST /token` where nothing else is given. */
export interface ProofParts {
  readonly at: number
  readonly method?: string
  readonly url?: string
  /** The token that it is presented with. */
  readonly token?: unknown
  readonly header?: object
  readonly claims?: object
}

/** Returns a DPoP proof (RFC 9449 §4.2). */
export function proofOf(
  { sign, publicJwk }: Signer,
  { at, method = 'POST', url = 'https://id.example.com/token', token, header, claims }: ProofParts,
): Promise<string> {
  const { kid: _kid, ...jwk } = publicJwk
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(String(token)).digest('base64url') }
  const payload = { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(at / 1000), ...ath, ...claims }
  return sign({ typ: 'dpop+jwt', jwk, ...header }, payload)
}
