import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { AccountsError, required } from '../../errors.ts'
import { toLinked } from '../../providers/linked-provider.ts'
import { isBoundTo } from '../../providers/provider-binding.ts'
import { checkProviderIdentity } from '../../providers/provider-identity.ts'
import { linkIdOf } from '../../providers/provider-links.ts'
import { proofOf } from '../../providers/provider-proof.ts'
import { hasFreshProof } from '../../sign-in/fresh-proof.ts'
import { cleanUp } from '../account-changes.ts'
import { claimChange, deliverChange, endAll, findHolder } from '../factors/change-factors.ts'
import { dropIdleLink } from './open-account.ts'
import { refuseProvider } from './refuse-provider.ts'

/**
 * Claims a change of the account, then adds the link, which only one of several callers can, and raises the epoch once
 * more. If that fails, an undone change of address or a deletion may have missed the link, so the link is removed.
 */
export async function linkProvider(
  context: AccountsContext,
  input: Parameters<Accounts['linkProvider']>[0],
): ReturnType<Accounts['linkProvider']> {
  const providers = required(context.providers, 'signIn.providers')
  const { issuer, subject, binding, identity } = checkProviderIdentity(input)
  const refuse = (reason: string) => refuseProvider(context, input, { issuer, reason })
  if (!isBoundTo(binding, 'link', identity.key ?? null)) return refuse('other-session')
  const holder = await findHolder(context, input)
  if (!holder) return refuse('account-changed')
  if (!hasFreshProof(holder.account, identity.factors ?? [], context.now())) return refuse('proof-stale')
  const { links } = providers
  const found = await links.get(issuer, subject)
  const linked = found && (await dropIdleLink(context, providers, found))
  const refuseLinked = (): AccountsError => {
    refuse('provider-linked')
    return providerInUse()
  }
  if (linked) throw refuseLinked()
  const { attempt, account: before } = holder
  const accountId = before.id
  const said = { type: 'provider.linked', ...attempt, accountId, sessionKey: identity.key ?? null, issuer } as const
  const linking = context.trail.plan(said)
  await linking.begin()
  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await linking.failed()
    return refuse('account-changed')
  }
  const link = { issuer, subject, accountId, createdAt: context.now() }
  // After a store's failure the link may be stored. Its owner is not told of it, so it must not sign in.
  const remove = async (): Promise<void> => {
    await links.remove({ ...link, id: linkIdOf(link) })
    // Its user may have signed in since it was added.
    await endAll(context, claimed, attempt)
  }
  const takeBack = async (error: unknown): Promise<never> => {
    await cleanUp(context, { accountId, attempt }, [remove()])
    throw error
  }
  const added = await links.insert(link).catch(takeBack)
  const account = await claimChange(context, { ...holder, account: claimed }, null).catch((error: unknown) => {
    // Another request has added the link.
    if (!added) throw error
    return takeBack(error)
  })
  if (!added || !account) {
    if (added) await remove().catch(takeBack)
    await linking.failed()
    if (!added) throw refuseLinked()
    return refuse('account-changed')
  }
  await linking.done(said)
  const mail = {
    kind: 'provider-linked',
    data: { at: context.now(), resetUrl: context.mailLinks.requestPasswordReset, issuer },
  } as const
  context.mails.send({ mail, accountId, attempt, to: account.email })
  const factors = [proofOf(providers, input, context.now())]
  return { ok: true, provider: toLinked(added), ...(await deliverChange(context, holder, { account, factors })) }
}

export function providerInUse(): AccountsError {
  return new AccountsError('PROVIDER_IN_USE', 'this provider user is already linked to an account')
}
