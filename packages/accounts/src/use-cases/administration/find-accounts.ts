import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { type Account, type AccountStore, toAccount } from '../../store/account-store.ts'

const longestPage = 100
const longestText = 254

/**
 * A store that supports `text` omits other accounts, and a store that does not returns all, so each account is checked
 * here as well. The first store is read once with the requested limit; the other store is read page by page.
 */
export async function findAccounts(
  { accounts }: AccountsContext,
  { text = null, first = 20, after = null }: Parameters<Accounts['findAccounts']>[0],
): ReturnType<Accounts['findAccounts']> {
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

/**
 * A cursor exists only for the last account of a page, so a page with more matches than requested is read again up to
 * the last match.
 */
async function readUpTo(
  accounts: AccountStore,
  { wanted, most, limit, cursor }: Part,
): ReturnType<Accounts['findAccounts']> {
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
