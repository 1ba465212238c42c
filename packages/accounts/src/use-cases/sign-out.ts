import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { endSession } from './manage-sessions.ts'

export async function signOut(
  context: AccountsContext,
  { identity, refreshToken, attempt }: Parameters<Accounts['signOut']>[0],
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
