import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { createJwtSigner, type JwtAlgorithm } from '@latchkey/jwt'
import type { FactorProof } from '@latchkey/store'
import type { RegisteredClient } from '../clients/registered-client.ts'
import { authenticationOf } from '../context/authentication.ts'
import type { ServerContext } from '../context/server-context.ts'

/** The claims of an id token. */
export interface IdTokenInput {
  readonly subject: string
  /** The audience. Its registration selects the algorithm. */
  readonly client: Pick<RegisteredClient, 'id' | 'idTokenSignedResponseAlg'>
  readonly factors: readonly FactorProof[]
  /** Epoch milliseconds; `null`: the time of the latest proof. */
  readonly authenticatedAt: number | null
  /** The `nonce` of the authorization request; `null`: it was omitted, or this is a refresh. */
  readonly nonce: string | null
  /** The public name of the browser's session, which the logout compares; `null`: no session. */
  readonly sessionKey: string | null
  /** The access token of the same response. */
  readonly accessToken: string
}

/** Returns an id token (OpenID Connect Core §2). */
export async function issueIdToken(context: ServerContext, input: IdTokenInput): Promise<string> {
  const { issuer, idTokenKeys, accessTokenSeconds, now } = context
  const { subject, client, factors, authenticatedAt, nonce, sessionKey, accessToken } = input
  // The hash depends on the algorithm, so this key signs even if the ring is rotated meanwhile.
  const ring = await idTokenKeys.ringOf(client)
  const key = await ring.signingKey()
  const keys = { ...ring, signingKey: async () => key }
  const signer = createJwtSigner({ issuer, audience: client.id, keys, ttlSeconds: accessTokenSeconds, now })
  const { token } = await signer.sign({
    sub: subject,
    ...(nonce !== null && { nonce }),
    ...(sessionKey !== null && { sid: sessionKey }),
    ...authenticationOf(factors, authenticatedAt),
    at_hash: await hashOf(accessToken, key.algorithm),
  })
  return token
}

/** Returns the left half of the digest of the algorithm (§3.1.3.6). Ed25519 signs with SHA-512. */
async function hashOf(accessToken: string, algorithm: JwtAlgorithm): Promise<string> {
  const bytes = algorithm === 'EdDSA' ? await sha512(accessToken) : sha256(accessToken)
  return encodeBase64url(bytes.subarray(0, bytes.length / 2))
}

async function sha512(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-512', new TextEncoder().encode(text)))
}
