import { type Deed, isAccepted, isNo } from '../../deeds/deed.ts'
import type { Rule } from '../../deeds/rule.ts'
import { limits } from '../../service/terms.ts'

/** Only the password of the account opens it, and only while it is active. */
export const onlyThePasswordOpens: Rule = (deed, _deeds, known) => {
  const { password } = deed.claims
  if (password === undefined || !isAccepted(deed)) return null
  if (!known.mayBe(deed.account, 'password', password, deed)) return 'accepted with another password'
  if (deed.claims.email !== undefined && !known.mayBe(deed.account, 'email', deed.claims.email, deed))
    return 'accepted with another address'
  return known.mayBe(deed.account, 'status', 'active', deed) ? null : 'accepted although it was not active'
}

/** What was acknowledged is not lost: the password and the status that were set are those that count. */
export const thePasswordOpens: Rule = (deed, _deeds, known) => {
  const { password, presents, email } = deed.claims
  if (password === undefined || !isNo(deed, 'credentials')) return null
  if (presents || known.sure(deed.account, 'email', deed) !== email || known.possiblyRaised(deed.account, deed))
    return null
  const isRight = known.sure(deed.account, 'password', deed) === password
  return isRight && known.sure(deed.account, 'status', deed) === 'active'
    ? 'the right password of an active account was refused'
    : null
}

/** Who shows the right password in a valid session is believed. */
export const theProofCounts: Rule = (deed, _deeds, known) => {
  const { password, presents, email } = deed.claims
  if (password === undefined || !presents || !isNo(deed, 'credentials')) return null
  if (known.possiblyRevoked(presents, deed) || known.possiblyRaised(deed.account, deed)) return null
  if (email !== undefined && known.sure(deed.account, 'email', deed) !== email) return null
  const isRight = known.sure(deed.account, 'password', deed) === password
  return isRight && known.sure(deed.account, 'status', deed) === 'active'
    ? 'the right password was refused in a session that nobody has revoked'
    : null
}

/** No limit on attempts is exceeded. A window starts with an attempt, be it right or wrong. */
export const guessesAreLimited: Rule = (deed, deeds, known) => {
  const { address, password } = deed.claims
  if (address === undefined || password === undefined) return null
  const attempts = deeds.filter(
    ({ account, claims }) => account === deed.account && claims.address === address && claims.password !== undefined,
  )
  const first = Math.min(...attempts.map(({ startedAt }) => startedAt))
  // In a session, a guess counts for the address that the account has by then, and for none of a deleted account.
  const isOfAddress = (other: Deed): boolean =>
    other.claims.email === deed.claims.email &&
    (!other.claims.presents ||
      (known.sure(other.account, 'email', other) === other.claims.email &&
        known.sure(other.account, 'status', other) === 'active'))
  const isWrong = (other: Deed): boolean =>
    isOfAddress(other) &&
    isNo(other, 'credentials') &&
    !known.mayBe(other.account, 'password', other.claims.password ?? '', other)
  const inWindow = attempts.filter((other) => isWrong(other) && other.endedAt < first + 1000 * limits.guessWindow)
  return inWindow.length > limits.guesses ? `${inWindow.length} passwords were tested in one window` : null
}

/** Nor is an attempt refused for too many others, unless so many may count: right passwords count only at the end of a window. */
export const fewAreNotLimited: Rule = (deed, deeds) => {
  const { address, password } = deed.claims
  if (address === undefined || password === undefined || !isNo(deed, 'ATTEMPTS_RATE_LIMITED')) return null
  const since = deed.startedAt - 1000 * limits.longestGuessWindow
  const attempts = deeds.filter(
    ({ account, claims }) => account === deed.account && (claims.password ?? claims.mailed) !== undefined,
  )
  const mayCount = (other: Deed): boolean =>
    other.end >= deed.start ||
    (other.endedAt >= deed.startedAt - limits.lastOfWindowMs && isPerhapsLast(other, attempts)) ||
    other.outcome.kind === 'failed' ||
    other.outcome.kind === 'lost' ||
    isNo(other, 'credentials')
  const others = attempts.filter(
    (other) => other !== deed && other.claims.address === address && other.endedAt > since && mayCount(other),
  )
  return others.length < limits.guesses ? `refused as one too many, and only ${others.length} others may count` : null
}

/** Whether the attempt has perhaps ended in the last second of a window, which starts with an attempt. */
const isPerhapsLast = ({ startedAt, endedAt }: Deed, attempts: readonly Deed[]): boolean =>
  attempts.some((first) =>
    limits.guessWindows.some(
      (seconds) =>
        endedAt >= first.startedAt + 1000 * seconds - limits.lastOfWindowMs &&
        startedAt <= first.endedAt + 1000 * seconds + limits.lastOfWindowMs,
    ),
  )
