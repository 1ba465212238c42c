import type { AccountsContext } from '../../context/accounts-context.ts'
import { type Account, type AccountStore, toAccount } from '../../store/account-store.ts'

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
 * well. The first is asked for what is to be found, and no more than that once; the other one page of many after another.
 */
export async function findAccounts(
  { accounts }: AccountsContext,
  { text = null, first = 20, after = null }: FindAccountsInput,
): Promise<FoundAccounts> {
  const most = Math.min(Math.max(Math.trunc(first) || 1, 1), longestPage)
  const wanted = (text ?? '').trim().toLowerCase()
  if (wanted.length > longestText) return { items: [], cursor: null }
  const items: Account[] = []
  let cursor: string | null = after
  let limit = most
  do {
    const page = await readUpTo(accounts, { wanted, most: most - items.length, limit, cursor })
    items.push(...page.items)
    cursor = page.cursor
    limit = longestPage
  } while (cursor !== null && items.length < most)
  return { items, cursor }
}

interface Part {
  readonly wanted: string
  /** How many are still to be found. */
  readonly most: number
  readonly limit: number
  readonly cursor: string | null
}

/** Only the end of a page has a cursor: one that has more than what is to be found is read again, up to the last of it. */
async function readUpTo(accounts: AccountStore, { wanted, most, limit, cursor }: Part): Promise<FoundAccounts> {
  const page = await accounts.list({
    limit,
    ...(cursor !== null && { cursor }),
    ...(wanted !== '' && { text: wanted }),
  })
  const found = page.items.map(toAccount).flatMap((account, at) => (isMatch(account, wanted) ? [{ account, at }] : []))
  const last = found[most - 1]
  if (last && found.length > most) return readUpTo(accounts, { wanted, most, limit: last.at + 1, cursor })
  return { items: found.map(({ account }) => account), cursor: page.cursor ?? null }
}

function isMatch({ id, email, name }: Account, wanted: string): boolean {
  return [id, email, name].some((text) => text.toLowerCase().includes(wanted))
}
