import { createJwtSigner } from '@latchkey/jwt'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'

/** The claims of a logout token. */
export interface LogoutTokenInput {
  /** The audience. Its registration selects the algorithm. */
  readonly client: Pick<RegisteredClient, 'id' | 'idTokenSignedResponseAlg'>
  readonly subject: string
  /** The `sid` of the session's id tokens. */
  readonly sessionKey: string
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** OpenID Connect Back-Channel Logout 1.0 §2.4: at most two minutes. */
const lifetimeMs = 120_000

/** Returns a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export async function issueLogoutToken(
  { issuer, idTokenKeys, now }: Pick<ServerContext, 'issuer' | 'idTokenKeys' | 'now'>,
  { client, subject, sessionKey }: LogoutTokenInput,
): Promise<string> {
  const keys = await idTokenKeys.ringOf(client)
  const signer = createJwtSigner({ issuer, audience: client.id, keys, typ: 'logout+jwt', now })
  const claims = { sub: subject, sid: sessionKey, events: { [logoutEvent]: {} } }
  const { token } = await signer.sign(claims, { endsAt: now() + lifetimeMs })
  return token
}
