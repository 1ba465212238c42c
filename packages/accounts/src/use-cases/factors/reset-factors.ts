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
 * The start of the account's grace for a second factor remains, so a reset starts no new grace. The factors are removed
 * from the store rather than by the parts, because a command also removes factors that it is not configured for. They
 * are removed before the column, so no failure leaves a factor without its column. Links to providers are removed as
 * well, because a thief can sign in with an added link.
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

/** Revokes all sessions. If no factor is removed, this is the audited decision. */
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

/** The prefix of the collections of factors, including kinds that this release does not know. */
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
