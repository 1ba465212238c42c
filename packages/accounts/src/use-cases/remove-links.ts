import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** The account whose links are removed, and the origin of the request. */
export interface LinkRemoval {
  readonly accountId: string
  readonly attempt: JudgedAttempt
  /** The administrator, `null` for a command. Omitted: the owner. */
  readonly actorId?: string | null
}

/**
 * Removes all links of an account to providers, each with its audit rows, and returns the issuers. A link signs in as
 * the password does, so a reset of the password or of the factors, and the adoption of an unverified account, remove
 * the links too. A change of the password by its owner keeps them. An unreadable link is removed by its key. If the store fails for a link, the others remain. The caller raises the epoch afterwards, which
 * revokes the sessions of those links.
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

/** Mails the owner the providers that can no longer sign in to the account. */
export function mailRemovedLinks(
  { mails, mailLinks, now }: AccountsContext,
  { id: accountId, email: to }: Pick<StoredAccount, 'id' | 'email'>,
  { attempt, issuers }: { readonly attempt: JudgedAttempt; readonly issuers: Iterable<string> },
): void {
  const data = { at: now(), resetUrl: mailLinks.requestPasswordReset }
  for (const issuer of new Set(issuers))
    mails.send({ mail: { kind: 'provider-unlinked', data: { ...data, issuer } }, accountId, attempt, to })
}
