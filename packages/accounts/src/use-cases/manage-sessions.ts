import type { ListedSession } from '@latchkey/sessions'
import { isApiKeyId } from '../api-keys/api-key-format.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt, judgeUnread } from '../devices/judge-attempt.ts'
import { isStillHeld } from '../sign-in/judge-impersonation.ts'
import { isValidFor } from '../sign-in/kept-key.ts'
import { raiseEpoch } from './account-changes.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.ts'

/** Returns the valid sessions and families of an account. Revoked and expired ones are omitted. */
export async function listSessions(context: AccountsContext, subject: string): Promise<readonly ListedSession[]> {
  const [account, listed] = await Promise.all([context.accounts.get(subject), context.sessions.list(subject)])
  if (!account) return []
  const valid = listed.filter((opened) => isValidFor(account, opened))
  const held = await Promise.all(valid.map(({ impersonation }) => isStillHeld(context, account, impersonation)))
  return valid.filter((_opened, index) => held[index])
}

export function revokeSession(
  context: AccountsContext,
  input: Parameters<Accounts['revokeSession']>[0],
): Promise<boolean> {
  if (context.apiKeys && isApiKeyId(input.key)) return revokeApiKey(context, { ...input, id: input.key })
  return endSession(context, input, 'revoked')
}

/** Revokes a session or family. `false`: the subject has no session or family with this key. */
export async function endSession(
  context: AccountsContext,
  { subject, key, attempt: shown }: Parameters<Accounts['revokeSession']>[0],
  reason: 'sign-out' | 'revoked' | 'provider',
): Promise<boolean> {
  const attempt = await judgeUnread(context, shown, () => context.accounts.get(subject))
  const by = reason === 'provider' ? { actorId: null } : {}
  const said = { type: 'session.ended', ...attempt, accountId: subject, sessionKey: key, reason, ...by } as const
  const ending = context.trail.plan(said)
  await ending.begin()
  const isEnded = await context.sessions.revoke(subject, key)
  // Who ends another session may end that of a thief, who has asked for another address. It is done again at each attempt.
  if (reason === 'revoked' && context.emailChange) await context.emailChanges.endConfirms(subject)
  if (!isEnded) {
    await ending.failed()
    return false
  }
  await ending.done(said)
  return true
}

/**
 * The new epoch invalidates all other credentials, including access tokens and unfinished sign-ins, even if the store does not
 * find all records of the account. If the session of the request was revoked in the meantime, the call changes no data.
 */
export async function revokeAllSessions(
  context: AccountsContext,
  { identity, exceptCurrent = true, attempt: shown }: Parameters<Accounts['revokeAllSessions']>[0],
): Promise<number> {
  const { subject, key = null } = identity
  const keptKey = exceptCurrent ? key : null
  const said = { type: 'sessions.ended', accountId: subject, sessionKey: keptKey } as const
  const ending = context.trail.plan({ ...said, ...judgeAttempt(context, shown, null) })
  await ending.begin()
  const raised = await raiseEpoch(context, subject, { decide: () => ({}), keptKey })
  if (!raised) {
    await ending.failed()
    return 0
  }
  await ending.done({ ...said, ...judgeAttempt(context, shown, raised.account), count: raised.ended })
  return raised.ended
}
