import { createJwtSigner, type JwtSigner } from '@latchkey/jwt'
import { accessTokenType } from '../../resource/access-token.ts'

/** Returns what signs the access tokens (RFC 9068) for a resource. */
export type AccessTokenSigners = (audience: string) => JwtSigner

/** Makes each with the first token for its resource, of which the options name a few. */
export function createAccessTokenSigners(
  options: Pick<Parameters<typeof createJwtSigner>[0], 'issuer' | 'keys' | 'ttlSeconds' | 'now'>,
): AccessTokenSigners {
  const signers = new Map<string, JwtSigner>()
  return (audience) => {
    const known = signers.get(audience)
    if (known) return known
    const signer = createJwtSigner({ ...options, audience, typ: accessTokenType })
    signers.set(audience, signer)
    return signer
  }
}
