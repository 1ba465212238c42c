import { firstPartyClientId, type RefreshFamily } from '@latchkey/sessions'
import type { AccountsContext } from '../context/accounts-context.ts'
import { channels, checkDelivery } from '../delivery.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import { type Account, toAccount } from '../store/account-store.ts'
import type { AccountFacts } from './identity-facts.ts'
import { signTokens, type TokenCredentials } from './issue-credentials.ts'
import { findValid } from './kept-key.ts'

export interface RefreshRequest {
  /** The refresh token of the request; `null` when there is none. */
  readonly token: string | null
  /** Where it was sent: in its cookie, or in the body. */
  readonly channel: 'cookie' | 'native'
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

export async function refresh(context: AccountsContext, { token, channel }: RefreshRequest): Promise<RefreshResult> {
  const delivery = channel === channels.native ? 'native' : 'token'
  checkDelivery(delivery, context)
  const verdict = await context.refreshTokens.redeem(token, { clientId: firstPartyClientId, channel })
  if (!verdict.ok) return refuseRefresh(context, verdict.reason, null)
  const { family, replayed } = verdict
  const account = await findValid(context, family)
  if (!account) return endStale(context, family)
  const { credentials, identity } = await signTokens(context, account, { delivery, token: verdict.token, family })
  context.emit({ type: 'token-refreshed', accountId: account.id, key: family.key, replayed })
  return { ok: true, account: toAccount(account), credentials, identity }
}

/** The account was removed, disabled or has a newer epoch that keeps another key, and this family is still open. */
async function endStale(
  context: AccountsContext,
  { key, subject }: RefreshFamily,
): Promise<Refusal<'invalid-credentials'>> {
  await context.refreshTokens.revoke(key)
  return refuseRefresh(context, 'account-changed', subject)
}

function refuseRefresh(
  { emit }: AccountsContext,
  reason: string,
  accountId: string | null,
): Refusal<'invalid-credentials'> {
  emit({ type: 'refresh-refused', accountId, reason })
  return invalidCredentials
}
