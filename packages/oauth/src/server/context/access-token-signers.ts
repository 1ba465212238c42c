import { createJwtSigner, type JwtSigner } from '@latchkey/jwt'
import { accessTokenType } from '../../resource/access-token.ts'

/** Returns the signer of access tokens (RFC 9068) for a resource. */
export type AccessTokenSigners = (audience: string) => JwtSigner

/** Creates the signer of a resource with its first token. The options limit the number of resources. */
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
