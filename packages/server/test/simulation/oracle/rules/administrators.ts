import { type Deed, isNo, isYes } from '../../deeds/deed.ts'
import type { Knowledge, Span } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'

/** An administrator remains, whatever happens at once. */
export const oneRemains: Rule = (deed, _deeds, known) => {
  const { sets } = deed.claims
  if (!isYes(deed) || !known.accounts.some((account) => known.mayBe(account, 'roles', 'ADMIN', atFirst))) return null
  if (sets?.roles === undefined && sets?.status === undefined) return null
  const now = { start: deed.end + 1, end: deed.end + 1 }
  const isLeft = known.accounts.some(
    (account) => known.mayBe(account, 'roles', 'ADMIN', now) && known.mayBe(account, 'status', 'active', now),
  )
  return isLeft ? null : 'no administrator is left'
}

const atFirst: Span = { start: 0, end: 0 }

/** Nobody is refused as the last administrator while there is another one. */
export const othersMayGo: Rule = (deed, _deeds, known) => {
  if (!isNo(deed, 'LAST_ADMINISTRATOR')) return null
  const other = known.accounts.find((account) => account !== deed.account && isSurelyOne(account, deed, known))
  return other === undefined ? null : `refused as the last administrator, and ${other} is one`
}

function isSurelyOne(account: string, deed: Deed, known: Knowledge): boolean {
  return known.sure(account, 'roles', deed) === 'ADMIN' && known.sure(account, 'status', deed) === 'active'
}
