import type { StoredDocument } from '@latchkey/store'
import { listPages, removeUnlessLast } from '@latchkey/store/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import { linkCollection, readLink } from '../../providers/provider-links.ts'
import type { StoredAccount } from '../../store/account-store.ts'

type Ways = Pick<AccountsContext, 'signInCodes' | 'providers' | 'passkeys' | 'documents'>

export const passkeyCollection = 'factor-passkey'

/** A way to sign in that is about to be removed: a passkey, or a link to a provider. */
export type Way = Pick<StoredDocument, 'collection' | 'id'>

export function wayOfPasskey(id: string): Way {
  return { collection: passkeyCollection, id }
}

export function wayOfLink(id: string): Way {
  return { collection: linkCollection, id }
}

/** A passkey that verifies its user signs in alone. */
const alone: ReadonlySet<string> = new Set(['know+have', 'are+have'])

/**
 * Whether the owner of an account signs in without one way: by a password, a code of a mail, a link to a provider where sign-ins with
 * them are offered, or a passkey that verifies its user. A password counts while it is set; one that too many failures have disabled is
 * enabled by a reset. A reset itself does not: it is how an owner comes back, and not how one signs in.
 */
export async function hasWayIn(context: Ways, account: StoredAccount, without: Way): Promise<boolean> {
  return hasTypedWay(context, account) || (await readWays(context, account, without)).others.length > 0
}

/**
 * Removes a method to sign in if another method remains, even if several are removed in parallel.
 *
 * @returns `last`: the method remains, since its owner would have no other.
 */
export async function removeWay(
  context: Ways,
  account: StoredAccount,
  way: Way,
): Promise<'removed' | 'absent' | 'last'> {
  const { documents } = context
  if (documents === null) return 'absent'
  return removeUnlessLast(documents, async () => {
    const { current, others } = await readWays(context, account, way)
    return { current, others: hasTypedWay(context, account) ? null : others }
  })
}

function hasTypedWay({ signInCodes }: Pick<Ways, 'signInCodes'>, { passwordHash }: StoredAccount): boolean {
  return passwordHash !== null || signInCodes !== null
}

async function readWays({ documents, providers, passkeys }: Ways, { id: accountId }: StoredAccount, way: Way) {
  const collections = [linkCollection, passkeyCollection]
  const owned = documents ? await listPages((page) => documents.listByOwner(accountId, { ...page, collections })) : []
  // Read after the documents: what has changed since has another version.
  const listed = (await passkeys?.list(accountId)) ?? []
  const signsIn = new Set(listed.filter(({ category }) => alone.has(category)).map(({ id }) => id))
  // A link that cannot be read signs in nobody.
  const isWay = (each: StoredDocument): boolean =>
    each.collection === linkCollection ? providers !== null && readLink(each) !== null : signsIn.has(each.id)
  const isSame = ({ collection, id }: Way): boolean => collection === way.collection && id === way.id
  return {
    current: owned.find(isSame) ?? null,
    others: owned.filter((each) => !isSame(each) && isWay(each)),
  }
}

export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_SIGN_IN_METHOD', 'at least one way to sign in must remain')
}
