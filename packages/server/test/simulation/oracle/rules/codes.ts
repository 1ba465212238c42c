import { type Credential, type Deed, isYes } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'

/** A code has one winner, and if it is presented again, what it gave is revoked. */
export const codeOnce: Rule = (deed, deeds) => {
  const { code, presents } = deed.claims
  if (deed.outcome.kind !== 'done') return null
  if (code !== undefined) {
    const winner = deeds.find((other) => other !== deed && other.outcome.kind === 'done' && other.claims.code === code)
    return winner ? `a code was redeemed twice, first by deed ${winner.number}` : null
  }
  const issue = presents && redemptionOf(presents, deeds)
  if (!issue) return null
  const remembered = issue.startedAt + 1000 * lifetimes.usedCode
  const copy = presentedAgain(issue, deeds).find(
    ({ outcome, end, endedAt }) => outcome.kind === 'refused' && end < deed.start && endedAt < remembered,
  )
  return copy ? `accepted after deed ${copy.number} had presented its code again` : null
}

/** A code that nobody has presented before, of a session that goes on, is redeemed. */
export const freshCodeIsRedeemed: Rule = (deed, deeds, known) => {
  const { code } = deed.claims
  if (code === undefined || deed.outcome.kind !== 'refused') return null
  if (presentedAgain(deed, deeds).some(({ start }) => start < deed.end)) return null
  const issue = deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.appCode === code)
  const session = issue?.claims.presents
  if (!issue || !session || known.possiblyRevoked(session, deed)) return null
  if (deeds.some((other) => isWithdrawal(other, deed) && other.start < deed.end && other.end > issue.start)) return null
  if (known.possiblyRaised(deed.account, { start: issue.start, end: deed.end })) return null
  // A sign-out without an answer may have ended what applications get by a session that goes on, or its successor.
  if (deeds.some(({ claims, start }) => claims.endsLineage === (session.lineage ?? '') && start < deed.end)) return null
  return deed.endedAt < issue.startedAt + 1000 * lifetimes.code ? 'a code that was not used before was refused' : null
}

/** A code is for the account and the consent as they were, and for a short time. */
export const codesEnd: Rule = (deed, deeds, known) => {
  const { code } = deed.claims
  if (code === undefined || deed.outcome.kind !== 'done') return null
  const issue = deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.appCode === code)
  if (!issue) return 'a code was redeemed that was never issued'
  const raised = known.surelyRaised(deed.account, { start: issue.end, end: deed.start })
  if (raised) return `a code was redeemed after "${raised.what}" (deed ${raised.number})`
  const withdrawn = deeds.find(
    (other) => isWithdrawal(other, deed) && isYes(other) && other.start > issue.end && other.end < deed.start,
  )
  if (withdrawn) return `a code was redeemed after deed ${withdrawn.number} had withdrawn its consent`
  return deed.startedAt > issue.endedAt + 1000 * lifetimes.code ? 'a code was redeemed after its time' : null
}

const isWithdrawal = ({ claims, account }: Deed, deed: Deed): boolean =>
  claims.withdraws === true && account === deed.account

/** Whether a copy of the code of what an application has was perhaps presented. */
export function isCopied(credential: Credential, during: Deed, deeds: readonly Deed[]): boolean {
  const issue = redemptionOf(credential, deeds)
  return issue !== undefined && presentedAgain(issue, deeds).some(({ start }) => start < during.end)
}

function redemptionOf({ key, kind }: Credential, deeds: readonly Deed[]): Deed | undefined {
  if (kind !== 'app') return undefined
  return deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.credential?.key === key)
}

function presentedAgain(deed: Deed, deeds: readonly Deed[]): readonly Deed[] {
  return deeds.filter((other) => other !== deed && other.claims.code === deed.claims.code)
}
