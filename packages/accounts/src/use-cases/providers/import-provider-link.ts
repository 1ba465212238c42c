import { isStoredCount } from '@latchkey/store/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import { type LinkedProvider, toLinked } from '../../providers/linked-provider.ts'
import { isName } from '../../providers/provider-identity.ts'
import type { ProviderLink } from '../../providers/provider-links.ts'
import { providerInUse } from './link-provider.ts'
import { dropIdleLink } from './open-account.ts'

export async function importProviderLink(
  context: AccountsContext,
  {
    accountId,
    issuer,
    subject,
    createdAt = context.now(),
    actorId = null,
    attempt,
  }: Parameters<Accounts['importProviderLink']>[0],
): ReturnType<Accounts['importProviderLink']> {
  const providers = required(context.providers, 'signIn.providers')
  const { links } = providers
  if (!isName(issuer) || !isName(subject)) throw new TypeError('"issuer" and "subject" must be texts of a provider')
  if (!isStoredCount(createdAt)) throw new TypeError('"createdAt" must be epoch milliseconds')
  const isThere = async (): Promise<boolean> => (await context.accounts.get(accountId)) !== null
  if (!(await isThere())) return null
  const found = await links.get(issuer, subject)
  const linked = found && (await dropIdleLink(context, providers, found))
  if (linked) return ofAccount(linked, accountId)
  const said = { type: 'provider.linked', ...judgeAttempt(context, attempt, null), accountId, issuer, actorId } as const
  const linking = context.trail.plan(said)
  await linking.begin()
  const added = await links.insert({ issuer, subject, accountId, createdAt })
  // A deletion that came before the link has not found it.
  if (added && (await isThere())) {
    await linking.done(said)
    return toLinked(added)
  }
  if (added) await links.remove(added)
  await linking.failed()
  return added ? null : ofAccount(await links.get(issuer, subject), accountId)
}

/** @throws AccountsError PROVIDER_IN_USE for the link of another account. */
function ofAccount(link: ProviderLink | null, accountId: string): LinkedProvider {
  if (link?.accountId === accountId) return toLinked(link)
  throw providerInUse()
}
