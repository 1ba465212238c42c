import { startDuration } from '@latchkey/core/internal'
import type { RefreshFamily, RefreshVerdict } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { Attempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { channels, checkDelivery } from '../delivery.ts'
import { judgeAttempt, judgeEnded } from '../devices/judge-attempt.ts'
import { invalidCredentials, type Rejection } from '../errors.ts'
import { signTokens } from '../sign-in/issue-credentials.ts'
import { findValid } from '../sign-in/kept-key.ts'
import { toAccount } from '../store/account-store.ts'

export async function refresh(
  context: AccountsContext,
  request: Parameters<Accounts['refresh']>[0],
): ReturnType<Accounts['refresh']> {
  const elapsed = startDuration()
  const { token, channel, idempotencyKey = null, attempt } = request
  const delivery = channel === channels.native ? 'native' : 'token'
  checkDelivery(delivery, context)
  const verdict = await context.refreshTokens.redeem(token, { clientId: firstPartyClientId, channel, idempotencyKey })
  if (!verdict.ok) return refuseToken(context, verdict, { attempt, elapsed })
  const { family, replayed } = verdict
  const account = await findValid(context, family)
  if (!account) return endStale(context, family, { attempt, elapsed })
  const { credentials, identity } = await signTokens(context, account, { delivery, token: verdict.token, family })
  const said = { ...judgeAttempt(context, attempt, account), ...namesOf(family), durationMs: elapsed() }
  context.emit({ type: 'family.refreshed', ...said, replayed })
  return { ok: true, account: toAccount(account), credentials, identity }
}

/** The parts of a refusal's event. */
interface RefreshAttempt {
  readonly attempt: Attempt
  readonly elapsed: () => number
}

async function refuseToken(
  context: AccountsContext,
  verdict: RefreshVerdict & { readonly ok: false },
  { attempt: shown, elapsed }: RefreshAttempt,
): Promise<Rejection<'invalid-credentials'>> {
  const family = verdict.reason === 'reused' ? verdict.family : null
  const attempt = family ? await judgeEnded(context, shown, family.subject) : judgeAttempt(context, shown, null)
  const said = { ...attempt, durationMs: elapsed() }
  if (!family) {
    context.emit({ type: 'refresh.failed', ...said, reason: verdict.reason })
    return invalidCredentials
  }
  try {
    await context.trail.record({ type: 'family.reused', ...said, ...namesOf(family) })
  } finally {
    // It has ended, and its access tokens with it: a list of denials learns of it here, and may fail without hiding the theft.
    await context.refreshTokens.revoke(family.key)
  }
  return invalidCredentials
}

/** The account was removed, disabled or has a newer epoch that keeps another key, and this family is still open. */
async function endStale(
  context: AccountsContext,
  family: RefreshFamily,
  { attempt: shown, elapsed }: RefreshAttempt,
): Promise<Rejection<'invalid-credentials'>> {
  await context.refreshTokens.revoke(family.key)
  const attempt = await judgeEnded(context, shown, family.subject)
  const { accountId, sessionKey } = namesOf(family)
  const said = { ...attempt, accountId, sessionKey, durationMs: elapsed() }
  context.emit({ type: 'refresh.failed', ...said, reason: 'account-changed' })
  return invalidCredentials
}

function namesOf({ key: sessionKey, subject: accountId, clientId }: RefreshFamily) {
  return { accountId, sessionKey, clientId }
}
