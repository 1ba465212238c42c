import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** Whose links are removed, and who does it. */
export interface LinkRemoval {
  readonly accountId: string
  readonly attempt: JudgedAttempt
  /** The administrator, `null` for a command. Omitted: the owner. */
  readonly actorId?: string | null
}

/**
 * Removes all links of an account to providers, each with its rows, and returns the issuers: a link signs in as the password does, so what
 * ends the password ends it, too. A link that cannot be read is removed by its key. A failure of the store leaves the others. The epoch that
 * is raised after it ends what was opened by them.
 */
export async function removeLinks(
  { links, trail }: Pick<AccountsContext, 'links' | 'trail'>,
  { accountId, attempt, ...by }: LinkRemoval,
): Promise<readonly string[]> {
  const removed = new Set<string>()
  for (const link of (await links?.listStored(accountId)) ?? []) {
    const { issuer } = link
    const said = { type: 'provider.unlinked', ...attempt, ...by, accountId, issuer } as const
    const removing = trail.plan(said)
    await removing.begin()
    if (await links?.remove(link)) {
      if (issuer !== null) removed.add(issuer)
      await removing.done(said)
    } else await removing.failed()
  }
  return [...removed]
}

/** Writes to the owner by which providers the account is signed in to no more. */
export function mailRemovedLinks(
  { mails, mailLinks, now }: AccountsContext,
  { id: accountId, email: to }: Pick<StoredAccount, 'id' | 'email'>,
  { attempt, issuers }: { readonly attempt: JudgedAttempt; readonly issuers: Iterable<string> },
): void {
  const data = { at: now(), resetUrl: mailLinks.requestPasswordReset }
  for (const issuer of new Set(issuers))
    mails.send({ mail: { kind: 'provider-unlinked', data: { ...data, issuer } }, accountId, attempt, to })
}
