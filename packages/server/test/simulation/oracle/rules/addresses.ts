import { isYes } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'

/** No two accounts have one address. */
export const addressesAreUnique: Rule = (deed, _deeds, known) => {
  const { sets } = deed.claims
  if (!isYes(deed) || deed.outcome.kind !== 'done') return null
  const email = deed.outcome.sets?.email ?? sets?.email
  if (email === undefined) return null
  const other = known.accounts.find(
    (account) =>
      account !== deed.account &&
      known.sure(account, 'email', deed) === email &&
      known.possible(account, 'status', deed).every((status) => status !== 'missing' && status !== 'deleted'),
  )
  return other === undefined ? null : `the account has the address of ${other}`
}
