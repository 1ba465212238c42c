import { processRevocationResponse, revocationRequest } from 'oauth4webapi'
import { OAuthError } from '../../errors.ts'
import type { ClientContext } from '../context/client-context.ts'

/**
 * Returns `false` if the provider has no revocation endpoint.
 *
 * @throws OAuthError `OAUTH_CLIENT_REJECTED`
 */
export async function revokeToken(context: ClientContext, token: string): Promise<boolean> {
  return context.askProvider(async (metadata) => {
    if (metadata.revocation_endpoint === undefined) return false
    const authentication = await context.authentication(metadata)
    const client = context.libraryClient()
    const response = await revocationRequest(metadata, client, authentication, token, context.libraryOptions)
    const isRevoked = await processRevocationResponse(response).then(
      () => true,
      () => false,
    )
    if (!isRevoked) throw new OAuthError('OAUTH_CLIENT_REJECTED', 'the provider refuses to revoke a token')
    return true
  })
}
