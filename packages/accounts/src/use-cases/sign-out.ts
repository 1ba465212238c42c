import type { PresentedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { endSession } from './manage-sessions.ts'

export interface SignOutInput {
  /** The identity of the request: the session or family that it came with ends. */
  readonly identity?: { readonly subject: string; readonly key?: string | null } | null
  /** The refresh token of the cookie, where one was sent: its family ends as well. */
  readonly refreshToken?: string | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** Ends what the request came with. `false`: there was nothing to end. */
export async function signOut(
  context: AccountsContext,
  { identity, refreshToken, attempt }: SignOutInput,
): Promise<boolean> {
  const family = await context.refreshTokens.identify(refreshToken ?? null)
  // An access token and the refresh token beside it are mostly of one family.
  const opened = new Map<string, string>()
  if (identity?.key) opened.set(identity.key, identity.subject)
  if (family) opened.set(family.key, family.subject)
  let isEnded = false
  for (const [key, subject] of opened) {
    isEnded = (await endSession(context, { subject, key, attempt }, 'sign-out')) || isEnded
  }
  return isEnded
}
