import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { SignedInIdentity } from '../contract/signed-in-identity.ts'
import { channels, checkDelivery } from '../delivery.ts'
import { toFacts } from './identity-facts.ts'
import { confirmAccount, type IssuedSignIn, signOrEnd, signTokens } from './issue-credentials.ts'
import { isValidFor } from './kept-key.ts'
import type { SteppedUp } from './sign-in-states.ts'

/**
 * Refuses to renew a family whose refresh token travels in the body if a script of a page would receive the new token.
 *
 * @throws AccountsError DELIVERY_NOT_ALLOWED, before the proof is checked.
 */
export async function refuseNative(
  { refreshTokens }: AccountsContext,
  { key = null, via }: SignedInIdentity,
): Promise<void> {
  const family = via === 'bearer' && key !== null ? await refreshTokens.read(key) : null
  if (family) checkDelivery(deliveryOf(family.channel), { allowsNative: false })
}

type Ended = 'account-changed' | 'session-revoked'

/**
 * Stepped up → new credentials, in the form of the old credentials, which are invalid when this resolves. A session
 * that was revoked in the meantime is not restored: it must be valid for the account as it was read before the proof,
 * and the account must be the same once the new credentials are stored.
 */
export async function renewCredentials(
  context: AccountsContext,
  steppedUp: SteppedUp,
  { key = null, via, factors = [] }: SignedInIdentity,
): Promise<IssuedSignIn | Ended> {
  const { account } = steppedUp
  const opened = key === null ? null : await context.sessions.find(account.id, key)
  if (!opened || !isValidFor(account, opened)) return 'session-revoked'
  if (opened.kind === 'session')
    return via === 'cookie' ? renewSession(context, steppedUp, opened.key, factors) : 'session-revoked'
  return renewFamily(context, steppedUp, opened.key)
}

async function renewSession(
  context: AccountsContext,
  { account: { id, epoch }, factors: fresh }: SteppedUp,
  key: string,
  factors: readonly FactorProof[],
): Promise<IssuedSignIn | Ended> {
  const kept = factors.filter(({ kind }) => !fresh.some((proof) => proof.kind === kind))
  const issued = await context.sessions.regenerate(id, key, { epoch, factors: [...kept, ...fresh] })
  if (!issued) return 'session-revoked'
  const account = await confirmAccount(context, issued.session)
  if (!account) return 'account-changed'
  return {
    credentials: { delivery: 'session', ...issued },
    identity: toFacts(context, account, issued.session, 'cookie'),
  }
}

/** Only the client of a family renews it, so a family of another client is rejected. */
async function renewFamily(
  context: AccountsContext,
  { account: { epoch }, factors }: SteppedUp,
  key: string,
): Promise<IssuedSignIn | Ended> {
  const old = await context.refreshTokens.read(key)
  if (old?.clientId !== firstPartyClientId) return 'session-revoked'
  const issued = await context.refreshTokens.regenerate(old, { epoch, factors })
  if (!issued) return 'session-revoked'
  const account = await confirmAccount(context, issued.family)
  if (!account) return 'account-changed'
  const delivery = deliveryOf(old.channel)
  return signOrEnd(context, issued.family, () => signTokens(context, account, { delivery, ...issued }))
}

function deliveryOf(channel: string): 'token' | 'native' {
  return channel === channels.native ? 'native' : 'token'
}
