import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { endSession } from '../manage-sessions.ts'

/**
 * Revokes the session or family of the impersonation. If its cookie has replaced the administrator's own session, that
 * session is revoked as well, because no browser has its credential. It is revoked first: only the impersonation names it, and is
 * invalid without it. So the next call finishes the work after a failure. `false`: the impersonation was revoked before.
 */
export async function endImpersonation(
  context: AccountsContext,
  { identity, attempt: shown }: Parameters<Accounts['endImpersonation']>[0],
): Promise<boolean> {
  const { subject: accountId, key: sessionKey = null, impersonator = null, via } = identity
  if (impersonator === null || sessionKey === null) return false
  const opened = await context.sessions.find(accountId, sessionKey)
  const attempt = judgeAttempt(context, shown, null)
  const said = { type: 'impersonation.ended', ...attempt, accountId, sessionKey, impersonatorId: impersonator } as const
  const ending = context.trail.plan(said)
  await ending.begin()
  const { impersonatorId: _acting, ...own } = shown
  const stoodOn = via === 'cookie' ? (opened?.impersonation?.key ?? null) : null
  if (stoodOn !== null) await endSession(context, { subject: impersonator, key: stoodOn, attempt: own }, 'sign-out')
  if (!(await context.sessions.revoke(accountId, sessionKey))) {
    await ending.failed()
    return false
  }
  await ending.done(said)
  return true
}
