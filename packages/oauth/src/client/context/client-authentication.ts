import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None, PrivateKeyJwt } from 'oauth4webapi'
import { invalidAnswer } from '../connection/json-object.ts'
import type { ProviderMetadata } from '../metadata/provider-metadata.ts'
import { allowPublicClient, type OAuthClientOptions } from './client-options.ts'

type Credential = Pick<OAuthClientOptions, 'clientId' | 'clientSecret' | 'privateKey' | 'provider'>

/**
 * Returns the authentication method of a client at a provider.
 *
 * @throws OAuthError `OAUTH_PROVIDER_INVALID` if the provider supports no method of this client.
 */
export async function authenticationOf(
  { clientId, clientSecret, privateKey, provider }: Credential,
  metadata: ProviderMetadata,
  now: number,
): Promise<ClientAuth> {
  if (clientSecret === allowPublicClient) return None()
  if (typeof clientSecret === 'string') return sendSecret(clientSecret, provider, metadata)
  // Unreachable: the options were checked.
  if (!privateKey) return None()
  if (!provider.clientSecretOf) return PrivateKeyJwt({ key: privateKey.key, kid: privateKey.id })
  const secret = await provider.clientSecretOf({ clientId, privateKey, now: Math.floor(now / 1000) })
  return sendSecret(secret, provider, metadata)
}

/** Metadata without a list of methods mean HTTP Basic (OpenID Connect Discovery §3). */
function sendSecret(secret: string, provider: Credential['provider'], metadata: ProviderMetadata): ClientAuth {
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
  if (provider.clientSecretIn)
    return provider.clientSecretIn === 'form' ? ClientSecretPost(secret) : ClientSecretBasic(secret)
  if (methods.includes('client_secret_basic')) return ClientSecretBasic(secret)
  if (methods.includes('client_secret_post')) return ClientSecretPost(secret)
  throw invalidAnswer('the provider takes no secret of a client')
}
