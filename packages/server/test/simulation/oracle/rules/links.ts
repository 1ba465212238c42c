import { type Deed, isNo, isYes } from '../../deeds/deed.ts'
import type { Knowledge } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'

const isUndo = ({ claims }: Deed): boolean => claims.audited === 'email-change.undone'
const isVerify = ({ claims }: Deed): boolean => claims.audited === 'email.verified'
const isConfirm = ({ claims }: Deed): boolean => claims.audited === 'email-change.confirmed'

const secondsOf = (deed: Deed): number =>
  isVerify(deed) ? lifetimes.verifyLink : isConfirm(deed) ? lifetimes.confirmLink : lifetimes.resetLink

/** A link is for the account as it was: after a change that revokes everything it is refused. */
export const linksAreOvertaken: Rule = (deed, deeds) => {
  const { link, mailedAt } = deed.claims
  if (link === undefined || mailedAt === undefined || !isYes(deed) || isUndo(deed)) return null
  const by = deeds.find(
    (other) =>
      other.account === deed.account &&
      other.startedAt > mailedAt &&
      other.end < deed.start &&
      isYes(other) &&
      !other.claims.mayRevoke &&
      typeof other.claims.revokes === 'string',
  )
  if (by) return `the link was accepted after "${by.what}" (deed ${by.number})`
  return deed.startedAt > mailedAt + 1000 * secondsOf(deed) ? 'the link was accepted after its time' : null
}

/** A change of address that was cancelled after it was requested is not made, also if its mail came later. */
export const cancelledChangesEnd: Rule = (deed, deeds) => {
  if (!isConfirm(deed) || !isYes(deed)) return null
  const own = deeds.filter(({ account, start }) => account === deed.account && start < deed.end)
  const requests = own.filter(
    ({ claims }) => claims.newEmail !== undefined && claims.newEmail === deed.claims.sets?.email,
  )
  const isAnswered = ({ outcome }: Deed): boolean => outcome.kind === 'done' || outcome.kind === 'refused'
  const cancels = own.filter((other) => other.claims.removesConfirms && isAnswered(other) && other.end < deed.start)
  const by = cancels.find(({ start }) => requests.every((request) => request.end < start))
  return by && requests.length > 0 ? `the link was accepted after deed ${by.number} had cancelled its request` : null
}

/** A link that nothing has overtaken works. */
export const linksWork: Rule = (deed, deeds, known) => {
  const { link, mailedAt } = deed.claims
  if (link === undefined || mailedAt === undefined || !isNo(deed, 'link')) return null
  const since = deeds.filter((other) => other !== deed && other.account === deed.account && other.endedAt > mailedAt)
  if (isVerify(deed)) return worksVerify(deed, deeds, known)
  if (known.sure(deed.account, 'status', deed) !== 'active') return null
  if (isUndo(deed)) return worksUndo(deed, deeds, known)
  if (isConfirm(deed) && isAskedByOther(deed, deeds)) return null
  const isOvertaken = since.some(
    ({ claims }) => claims.revokes !== undefined || claims.mayRevoke || (isConfirm(deed) && claims.removesConfirms),
  )
  // The account may have changed while the mail was written.
  const askedAt = Math.min(...causesOf(deed, deeds).map(({ startedAt }) => startedAt))
  const isEarly = deeds.some((other) => other !== deed && isPerhapsWriting(other, deed, askedAt))
  return isOvertaken || isEarly || !isYoung(deed, deeds) ? null : 'a link that nothing has overtaken was refused'
}

/** Whether somebody else has asked for the address: then the mail may have come of that, and is for the other account. */
const isAskedByOther = ({ account, claims }: Deed, deeds: readonly Deed[]): boolean =>
  deeds.some((other) => other.account !== account && other.claims.newEmail === claims.sets?.email)

const causes: readonly (string | undefined)[] = ['password.reset-requested', 'email.verified', 'email-change.undone']

const causesOf = (deed: Deed, deeds: readonly Deed[]): readonly Deed[] =>
  deeds.filter(
    ({ account, claims }) => account === deed.account && (claims.newEmail || causes.includes(claims.audited)),
  )

/** Whether the link is surely not old: a mail may arrive long after its link was made. */
const isYoung = (deed: Deed, deeds: readonly Deed[]): boolean =>
  causesOf(deed, deeds).every(({ startedAt }) => deed.endedAt < startedAt + 1000 * (secondsOf(deed) - 60))

/** What was under way when the link was asked for, or later. */
const isPerhapsWriting = (other: Deed, deed: Deed, askedAt: number): boolean =>
  other.account === deed.account &&
  other.endedAt > askedAt &&
  (other.claims.revokes !== undefined ||
    other.claims.mayRevoke === true ||
    (isConfirm(deed) && other.claims.removesConfirms === true))

/** An acknowledged change can be undone, whatever happens to the sessions. */
function worksUndo(deed: Deed, deeds: readonly Deed[], known: Knowledge): string | null {
  const { mailedAt = 0 } = deed.claims
  const change = deeds.find(
    (other) => isConfirm(other) && isYes(other) && other.account === deed.account && other.end < deed.start,
  )
  const isUndone = deeds.some((other) => other !== deed && isUndo(other) && other.account === deed.account)
  if (!change || change.startedAt >= mailedAt || isUndone || hasMovedBack(deed, deeds, known)) return null
  // Another tab that has lost against the change has mailed a link, too, and that undoes nothing.
  const isContested = deeds.some(
    (other) =>
      other !== change &&
      isConfirm(other) &&
      other.account === deed.account &&
      other.start < change.end &&
      other.end > change.start,
  )
  return isContested ? null : 'an acknowledged change could not be undone'
}

/** Whoever moves back to an address of before has nothing left to undo. */
function hasMovedBack(deed: Deed, deeds: readonly Deed[], known: Knowledge): boolean {
  return deeds.some(
    ({ claims, account, start, ...other }) =>
      isConfirm({ claims, account, start, ...other }) &&
      account === deed.account &&
      start < deed.end &&
      claims.sets?.email !== undefined &&
      known.mayBe(account, 'email', claims.sets.email, { start: 0, end: start }),
  )
}

/** The links of a sign-up work until one of them was followed, or the account was opened in another way. */
function worksVerify(deed: Deed, deeds: readonly Deed[], known: Knowledge): string | null {
  const isFollowed = deeds.some(
    (other) => other !== deed && isVerify(other) && other.account === deed.account && other.outcome.kind !== 'refused',
  )
  const isMissing = known.sure(deed.account, 'status', deed) === 'missing'
  return isYoung(deed, deeds) && isMissing && !isFollowed ? 'the link of a sign-up was refused' : null
}

/** The page of a link is not shown after its time. */
export const pagesEnd: Rule = (deed) => {
  const { checks, mailedAt } = deed.claims
  if (checks === undefined || mailedAt === undefined || !isYes(deed)) return null
  return deed.startedAt > mailedAt + 1000 * lifetimes.resetLink ? 'the page of a link was shown after its time' : null
}

/** An address has one account: of all links of its sign-ups one is accepted. */
export const oneAccount: Rule = (deed, deeds) => {
  if (!isVerify(deed) || !isYes(deed)) return null
  const first = deeds.find(
    (other) => other !== deed && isVerify(other) && isYes(other) && other.account === deed.account,
  )
  return first ? `a second link of a sign-up was accepted after that of deed ${first.number}` : null
}
