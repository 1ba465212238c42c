import { firstPartyClientId, type RefreshFamily } from '@latchkey/sessions'
import type { Attempt, ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { channels, checkDelivery } from '../delivery.ts'
import { judgeAttempt, judgeUnread } from '../devices/known-device.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import type { AccountFacts } from '../sign-in/identity-facts.ts'
import { signTokens, type TokenCredentials } from '../sign-in/issue-credentials.ts'
import { findValid } from '../sign-in/kept-key.ts'
import { type Account, toAccount } from '../store/account-store.ts'

export interface RefreshRequest {
  /** The refresh token of the request; `null` when there is none. */
  readonly token: string | null
  /** Where it was sent: in its cookie, or in the body. */
  readonly channel: 'cookie' | 'native'
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The next tokens, and the account that they belong to. */
export interface RefreshSuccess {
  readonly ok: true
  readonly account: Account
  readonly credentials: TokenCredentials
  readonly identity: AccountFacts
}

/** The verdict on a refresh token. */
export type RefreshResult = RefreshSuccess | Refusal<'invalid-credentials'>

export async function refresh(
  context: AccountsContext,
  { token, channel, attempt }: RefreshRequest,
): Promise<RefreshResult> {
  const delivery = channel === channels.native ? 'native' : 'token'
  checkDelivery(delivery, context)
  const verdict = await context.refreshTokens.redeem(token, { clientId: firstPartyClientId, channel })
  if (!verdict.ok) {
    const of = { accountId: null, attempt: judgeAttempt(context, attempt, null) }
    return refuseRefresh(context, { reason: verdict.reason, ...of })
  }
  const { family, replayed } = verdict
  const account = await findValid(context, family)
  if (!account) return endStale(context, family, attempt)
  const { credentials, identity } = await signTokens(context, account, { delivery, token: verdict.token, family })
  context.emit({ type: 'token-refreshed', accountId: account.id, key: family.key, replayed })
  return { ok: true, account: toAccount(account), credentials, identity }
}

/** The account was removed, disabled or has a newer epoch that keeps another key, and this family is still open. */
async function endStale(
  context: AccountsContext,
  { key, subject }: RefreshFamily,
  shown: ShownAttempt,
): Promise<Refusal<'invalid-credentials'>> {
  await context.refreshTokens.revoke(key)
  const attempt = await judgeUnread(context, shown, () => context.accounts.get(subject))
  return refuseRefresh(context, { reason: 'account-changed', accountId: subject, attempt })
}

function refuseRefresh(
  { emit }: AccountsContext,
  refused: { readonly reason: string; readonly accountId: string | null; readonly attempt: Attempt },
): Refusal<'invalid-credentials'> {
  emit({ type: 'refresh-refused', ...refused })
  return invalidCredentials
}
