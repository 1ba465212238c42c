import { askUserinfo } from '../callback/provider-identity.ts'
import type { ClientContext } from '../context/client-context.ts'

/** What a provider says of a user now. */
export type UserinfoVerdict =
  | { readonly ok: true; readonly claims: Readonly<Record<string, unknown>> }
  /** `token`: the access token has ended. `subject`: it is another user's. */
  | { readonly ok: false; readonly reason: 'token' | 'subject' }

/** Asks who a user is (OpenID Connect Core §5.3). */
export async function readUserinfo(
  context: ClientContext,
  accessToken: string,
  { subject }: { readonly subject: string },
): Promise<UserinfoVerdict> {
  const claims = await context.askProvider((metadata) => askUserinfo(context, metadata, accessToken))
  if (!claims) return { ok: false, reason: 'token' }
  return claims.sub === subject ? { ok: true, claims } : { ok: false, reason: 'subject' }
}
