import type { ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { AccountFacts } from '../sign-in/identity-facts.ts'

export interface SignOutInput {
  /** The identity of the request: the session or family that it came with ends. */
  readonly identity?: { readonly subject: string; readonly key?: string | null } | null
  /** The refresh token of the cookie, where one was sent: its family ends as well. */
  readonly refreshToken?: string | null
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** Ends what the request came with. `false`: there was nothing to end. */
export async function signOut(context: AccountsContext, { identity, refreshToken }: SignOutInput): Promise<boolean> {
  const family = await context.refreshTokens.identify(refreshToken ?? null)
  const ended = [
    identity?.key ? await end(context, { subject: identity.subject, key: identity.key }) : false,
    family ? await end(context, family) : false,
  ]
  return ended.includes(true)
}

async function end(
  context: AccountsContext,
  { subject, key }: Pick<AccountFacts, 'subject' | 'key'>,
): Promise<boolean> {
  const ended = await context.sessions.revoke(subject, key)
  if (ended) context.emit({ type: 'signed-out', accountId: subject, key })
  return ended
}
