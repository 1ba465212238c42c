import { listPages } from '@latchkey/store/internal'
import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { type Account, type StoredAccount, toAccount } from '../../store/account-store.ts'
import type { AuditedEvent } from '../../trail/audited-kinds.ts'
import type { Audited, TrailStep } from '../../trail/create-audit-recorder.ts'
import { raiseEpoch } from '../account-changes.ts'
import type { AdministrationInput } from '../administration/administer.ts'
import { getAccount } from '../look-up.ts'
import { mailRemovedLinks, removeLinks } from '../remove-links.ts'

/**
 * Since when the account is asked for a second factor remains: it is no factor, and nothing begins a new grace.
 *
 * The store is asked, and not the parts: a command removes what it was not configured for, too. The factors go
 * first, so that no failure leaves an account without its column and with a factor. Links to providers go with them: one that a thief has
 * added signs in, too.
 */
export async function resetFactors(
  context: AccountsContext,
  { id, actorId = null, attempt: shown }: AdministrationInput,
): Promise<Account | null> {
  const account = await getAccount(context, id)
  if (!account) return null
  // The device is that of the administrator, whose account this is not.
  const attempt = judgeAttempt(context, shown, null)
  const removals = new Map<string, Removal>()
  const issuers: string[] = []
  const removeAll = async (): Promise<void> => {
    await removeStored(context, id, { removals, said: { ...attempt, actorId } })
    issuers.push(...(await removeLinks(context, { accountId: id, attempt, actorId })))
  }
  await removeAll()
  const changed = await endOpen(context, id, { removals, said: { ...attempt, actorId } })
  if (!changed) return null
  // One that was put in force between the two; what is put in force from here on finds the account changed, and goes again.
  await removeAll()
  for (const { said, step } of removals.values()) await step.done(said)
  const { email: to } = changed
  const { account: accountUrl, requestPasswordReset: resetUrl } = context.mailLinks
  const mail = { kind: 'factor-removed', data: { at: context.now(), accountUrl, resetUrl, factor: null } } as const
  context.mails.send({ mail, accountId: id, attempt, to })
  mailRemovedLinks(context, changed, { attempt, issuers })
  return toAccount(changed)
}

/** A kind of which all factors are removed. */
interface Removal {
  readonly said: Audited<AuditedEvent>
  readonly step: TrailStep<AuditedEvent>
}

interface Removals {
  /** By kind: each is written once, before the first of its factors goes. */
  readonly removals: Map<string, Removal>
  readonly said: JudgedAttempt & { readonly actorId: string | null }
}

/** Ends what is open. Where no factor is removed, that is the decision, and has its rows. */
async function endOpen(
  context: AccountsContext,
  accountId: string,
  { removals, said }: Removals,
): Promise<StoredAccount | null> {
  const isRemoval = removals.size > 0
  const ended = { type: 'sessions.ended', ...said, accountId, sessionKey: null } as const
  const ending = context.trail.plan(ended)
  const before = isRemoval ? {} : { before: ending.begin }
  const changed = await raiseEpoch(context, accountId, {
    decide: () => ({ enrolled: [] }),
    keptKey: null,
    keepsApiKeys: true,
    ...before,
  })
  if (!isRemoval) await (changed ? ending.done({ ...ended, count: changed.ended }) : ending.failed())
  return changed?.account ?? null
}

/** What begins so is a factor, of a kind that this release does not know as well. */
const factorPrefix = 'factor-'

async function removeStored(
  { documents, trail }: AccountsContext,
  accountId: string,
  { removals, said }: Removals,
): Promise<void> {
  if (documents === null) return
  for (const { collection, id } of await listPages((page) => documents.listByOwner(accountId, page))) {
    if (!collection.startsWith(factorPrefix)) continue
    const factor = collection.slice(factorPrefix.length)
    if (!factor.endsWith('-enrollment') && !removals.has(factor)) {
      const removed = { type: 'factor.removed', ...said, accountId, factor, id: null } as const
      const step = trail.plan(removed)
      await step.begin()
      removals.set(factor, { said: removed, step })
    }
    await documents.remove({ collection, id })
  }
}
