import { askUserinfo } from '../callback/provider-identity.ts'
import type { ClientContext } from '../context/client-context.ts'
import type { OAuthClient } from '../contract/oauth-client.ts'

/** Reads the user's claims from userinfo (OpenID Connect Core §5.3). */
export async function readUserinfo(
  context: ClientContext,
  accessToken: string,
  { subject }: { readonly subject: string },
): ReturnType<OAuthClient['userinfo']> {
  const claims = await context.askProvider((metadata) => askUserinfo(context, metadata, accessToken))
  if (!claims) return { ok: false, reason: 'token' }
  return claims.sub === subject ? { ok: true, claims } : { ok: false, reason: 'subject' }
}
