import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { type AccountsError, required } from '../../errors.ts'
import { toLinked } from '../../providers/linked-provider.ts'
import { claimChange, deliverChange, findHolder, settleOrEnd } from '../factors/change-factors.ts'
import { hasWayIn, lastWayIn, removeWay, wayOfLink } from '../factors/last-way-in.ts'
import { refuseProvider } from './refuse-provider.ts'

/**
 * Claims a change of the account, which only one of several callers can, then removes the link. A second claim may come
 * in between, so the removal itself checks that another sign-in method remains.
 */
export async function unlinkProvider(
  context: AccountsContext,
  input: Parameters<Accounts['unlinkProvider']>[0],
): ReturnType<Accounts['unlinkProvider']> {
  const { links } = required(context.providers, 'signIn.providers')
  const holder = await findHolder(context, input)
  if (!holder) return refuseProvider(context, input, { issuer: null, reason: 'account-changed' })
  const { attempt, identity } = holder
  const { id: accountId } = holder.account
  const link = (await links.listByAccount(accountId)).find(({ id }) => id === input.id)
  if (!link) return null
  const { issuer } = link
  const refuseLast = (): AccountsError => {
    refuseProvider(context, input, { issuer, reason: 'last-way-in' })
    return lastWayIn()
  }
  const way = wayOfLink(link.id)
  if (!(await hasWayIn(context, holder.account, way))) throw refuseLast()
  const said = { type: 'provider.unlinked', ...attempt, accountId, sessionKey: identity.key ?? null, issuer } as const
  const removing = context.trail.plan(said)
  await removing.begin()
  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await removing.failed()
    return refuseProvider(context, input, { issuer, reason: 'account-changed' })
  }
  const outcome = await removeWay(context, holder.account, way).catch(async (error: unknown) => {
    // The link may be gone: what it has opened since the claim ends.
    await settleOrEnd(context, holder, claimed)
    throw error
  })
  if (outcome === 'last') {
    await removing.failed()
    throw refuseLast()
  }
  const isRemoved = outcome === 'removed'
  const account = await settleOrEnd(context, holder, claimed)
  await (isRemoved ? removing.done(said) : removing.failed())
  if (isRemoved) {
    const mail = {
      kind: 'provider-unlinked',
      data: { at: context.now(), resetUrl: context.mailLinks.requestPasswordReset, issuer },
    } as const
    context.mails.send({ mail, accountId, attempt, to: account.email })
  }
  // What was shown by a link that is gone counts no longer; that of another one is shown again.
  const change = { account, factors: [], without: ['provider'] }
  return { ok: true, provider: toLinked(link), ...(await deliverChange(context, holder, change)) }
}
