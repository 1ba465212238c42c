import type { AccountsContext } from '../../context/accounts-context.ts'
import { required } from '../../errors.ts'
import { type Account, toAccount } from '../../store/account-store.ts'

/** Which accounts to find. */
export interface FindAccountsInput {
  /** A part of the address, the name or the id, in any case. Omitted or blank: all accounts. */
  readonly text?: string | null
  /**
   * How many at most, 1 to 100.
   * @default 20
   */
  readonly first?: number
  /** The `cursor` of the page before. Omitted: from the beginning. */
  readonly after?: string | null
}

/** A page of accounts, in the stable order of the store. */
export interface FoundAccounts {
  readonly items: readonly Account[]
  /** What `after` takes for the next page; `null`: there is none. */
  readonly cursor: string | null
}

const longestPage = 100
const longestText = 254

/**
 * A store that knows `text` leaves out what does not match, and one that does not returns all: so each is judged here as
 * well. A page of the store is never longer than what is still to be found, since only its end has a cursor.
 */
export async function findAccounts(
  context: AccountsContext,
  { text = null, first = 20, after = null }: FindAccountsInput,
): Promise<FoundAccounts> {
  const directory = required(context.directory, 'accounts')
  const most = Math.min(Math.max(Math.trunc(first) || 1, 1), longestPage)
  const wanted = (text ?? '').trim().toLowerCase()
  if (wanted.length > longestText) return { items: [], cursor: null }
  const items: Account[] = []
  let cursor: string | null = after
  do {
    const page = await directory.list({
      limit: most - items.length,
      ...(cursor !== null && { cursor }),
      ...(wanted !== '' && { text: wanted }),
    })
    items.push(...page.items.map(toAccount).filter((account) => isMatch(account, wanted)))
    cursor = page.cursor ?? null
  } while (cursor !== null && items.length < most)
  return { items, cursor }
}

function isMatch({ id, email, name }: Account, wanted: string): boolean {
  return [id, email, name].some((text) => text.toLowerCase().includes(wanted))
}
