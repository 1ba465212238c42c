import { type Deed, isAccepted, isNo } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'

/** A user of a provider opens the account that it is linked to, and a new account if nobody has one. */
export const onlyTheLinkedUserOpens: Rule = (deed, _deeds, known) => {
  const { user, sets } = deed.claims
  if (user === undefined || sets || !isAccepted(deed)) return null
  if (!known.mayBe(deed.account, 'user', user, deed)) return 'accepted as a user of the provider that is not linked'
  return known.mayBe(deed.account, 'status', 'active', deed) ? null : 'accepted although it was not active'
}

/** A linked user opens an active account. */
export const theLinkedUserOpens: Rule = (deed, _deeds, known) => {
  const { user, sets } = deed.claims
  if (user === undefined || sets || deed.outcome.kind !== 'refused') return null
  if (known.possiblyRaised(deed.account, deed) || known.sure(deed.account, 'status', deed) !== 'active') return null
  return known.sure(deed.account, 'user', deed) === user ? 'the linked user of an active account was refused' : null
}

/** A user that nobody has linked can be linked. */
export const theUserIsFree: Rule = (deed, _deeds, known) =>
  isNo(deed, 'PROVIDER_IN_USE') && known.sure(deed.account, 'user', deed) === null
    ? 'a user of the provider that nobody has linked was refused as one that is linked'
    : null

/** A password is a way in, so a link may go. */
export const aWayRemains: Rule = (deed) =>
  isNo(deed, 'LAST_SIGN_IN_METHOD') ? 'refused as the last way in, and codes by mail are another' : null

/** A code by mail opens its account once, for its time, and until the account changes. */
export const mailedCodesEnd: Rule = (deed, deeds, known) => {
  const { mailed, mailedAt = 0, email } = deed.claims
  if (!mailed || !isAccepted(deed)) return null
  const first = deeds.find((other) => other !== deed && isAccepted(other) && isSame(other, deed))
  if (first) return `a code by mail was accepted twice, first by deed ${first.number}`
  const issue = requestOf(deed, deeds)
  if (!issue) return 'a code by mail was accepted that nobody has asked for'
  const raised = known.surelyRaised(deed.account, { start: issue.end, end: deed.start })
  if (raised) return `a code by mail was accepted after "${raised.what}" (deed ${raised.number})`
  if (deed.startedAt > mailedAt + 1000 * lifetimes.mailedCode) return 'a code by mail was accepted after its time'
  if (email !== undefined && !known.mayBe(deed.account, 'email', email, deed)) return 'accepted with another address'
  return known.mayBe(deed.account, 'status', 'active', deed) ? null : 'accepted although it was not active'
}

/** A code by mail that nobody has shown before opens an account that has not changed. */
export const mailedCodesOpen: Rule = (deed, deeds, known) => {
  const { mailed, email } = deed.claims
  const issue = mailed && requestOf(deed, deeds)
  if (!issue || !isNo(deed, 'credentials')) return null
  if (deeds.some((other) => other !== deed && isSame(other, deed) && other.start < deed.end)) return null
  if (known.possiblyRaised(deed.account, { start: issue.start, end: deed.end })) return null
  if (known.sure(deed.account, 'email', deed) !== email || known.sure(deed.account, 'status', deed) !== 'active')
    return null
  return deed.endedAt < issue.startedAt + 1000 * lifetimes.mailedCode
    ? 'a code by mail that was not used before was refused'
    : null
}

const isSame = ({ claims }: Deed, deed: Deed): boolean => claims.mailed?.challenge === deed.claims.mailed?.challenge

function requestOf({ claims }: Deed, deeds: readonly Deed[]): Deed | undefined {
  const { challenge } = claims.mailed ?? {}
  return deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.mailedChallenge === challenge)
}
