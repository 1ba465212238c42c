import type { ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { endSession } from './manage-sessions.ts'

export interface SignOutInput {
  /** The identity of the request: the session or family that it came with ends. */
  readonly identity?: { readonly subject: string; readonly key?: string | null } | null
  /** The refresh token of the cookie, where one was sent: its family ends as well. */
  readonly refreshToken?: string | null
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** Ends what the request came with. `false`: there was nothing to end. */
export async function signOut(
  context: AccountsContext,
  { identity, refreshToken, attempt }: SignOutInput,
): Promise<boolean> {
  const family = await context.refreshTokens.identify(refreshToken ?? null)
  const ended = [
    identity?.key
      ? await endSession(context, { subject: identity.subject, key: identity.key, attempt }, 'sign-out')
      : false,
    family ? await endSession(context, { subject: family.subject, key: family.key, attempt }, 'sign-out') : false,
  ]
  return ended.includes(true)
}
