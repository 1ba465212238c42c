import { type Deed, isAccepted, isNo, isYes, unknown } from '../../deeds/deed.ts'
import type { Knowledge } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'
import { limits } from '../../service/terms.ts'

/** No credential is issued before the second factor. */
export const secondFactorFirst: Rule = ({ outcome, ...deed }, deeds, known) => {
  const { opens, secondFactor, passkey } = deed.claims
  if (outcome.kind !== 'done' || !opens || secondFactor !== undefined || passkey !== undefined) return null
  const factors = (['totp', 'passkey'] as const).map((name) => known.possible(deed.account, name, deed))
  const isGuarded = factors.some(isSurelyOne)
  if (deed.claims.trusts !== undefined && isGuarded) return judgeTrust({ outcome, ...deed }, deeds, known)
  if (outcome.credential && isGuarded) return 'a credential was issued before the second factor'
  return outcome.isChallenged && factors.flat().every((factor) => factor === null)
    ? 'a second factor was asked for that was never set up'
    : null
}

const isSurelyOne = (factors: readonly (string | null)[]): boolean =>
  factors.every((factor) => factor !== null && factor !== unknown)

/** A device that has shown both factors is not asked again, until the account changes. */
function judgeTrust(deed: Deed, deeds: readonly Deed[], known: Knowledge): string | null {
  const { outcome, account, claims } = deed
  const issue = deeds.find((other) => other.outcome.kind === 'done' && other.outcome.trusted === claims.trusts)
  if (outcome.kind !== 'done' || !issue) return null
  const changed = known.surelyRaised(account, { start: issue.end, end: deed.start })
  if (outcome.credential && changed) return `a device was trusted after "${changed.what}" (deed ${changed.number})`
  const isSame = !known.possiblyRaised(account, { start: issue.start, end: deed.end })
  return outcome.isChallenged && isSame ? 'a second factor was asked for in a device that had shown it' : null
}

/** Only a code of the account's own app, or a recovery code that it has, is a second factor. */
export const onlyTheFactorOpens: Rule = (deed, _deeds, known) => {
  const { secondFactor, app, sets } = deed.claims
  if (secondFactor === undefined || !isYes(deed)) return null
  if (!app) {
    const isOwn = known.possible(deed.account, 'codes', deed).some((codes) => isAmong(secondFactor, codes))
    return isOwn ? null : 'accepted with a recovery code that the account does not have'
  }
  if (sets?.totp === app.secret) return null
  return known.mayBe(deed.account, 'totp', app.secret, deed) ? null : 'accepted with a code of another app'
}

const isAmong = (code: string, codes: string): boolean => codes === unknown || codes.split(' ').includes(code)

/** After a code no other code of the same time or of an earlier one is accepted. */
export const stepsRise: Rule = (deed, deeds) => {
  const { app } = deed.claims
  if (!app || !isYes(deed)) return null
  const later = deeds.find(
    ({ claims, end, ...other }) =>
      isYes({ claims, end, ...other }) &&
      end < deed.start &&
      claims.app?.secret === app.secret &&
      claims.app.step >= app.step,
  )
  return later ? `a code was accepted after deed ${later.number} had used one of the same time or later` : null
}

/** A challenge has one right answer, five tries, and its time. */
export const challengesEnd: Rule = (deed, deeds, known) => {
  const { answers } = deed.claims
  if (answers === undefined || !isYes(deed)) return null
  const issue = issueOf(answers, deeds)
  if (!issue) return 'a challenge was answered that was never issued'
  if (issue.account !== deed.account) return `a challenge of ${issue.account} was answered`
  if (deed.startedAt > issue.endedAt + 1000 * limits.challenge) return 'a challenge was answered after its time'
  const first = deeds.find((other) => other !== deed && isYes(other) && other.claims.answers === answers)
  if (first) return `a challenge was answered twice, first by deed ${first.number}`
  const spent = deeds.find((other) => isYes(other) && other.end < deed.start && other.claims.exhausts === answers)
  if (spent) return `a challenge was answered after deed ${spent.number} had used up its tries`
  const raised = known.surelyRaised(deed.account, { start: issue.end, end: deed.start })
  return raised ? `a challenge was answered after "${raised.what}" (deed ${raised.number})` : null
}

function issueOf(challenge: string, deeds: readonly Deed[]): Deed | undefined {
  return deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.challenge === challenge)
}

/** A code of the acknowledged app, a recovery code that was not spent, and the passkey answer an open challenge. */
export const theFactorOpens: Rule = (deed, deeds, known) => {
  const { answers, secondFactor, app, passkey } = deed.claims
  if (answers === undefined || !isNo(deed, 'credentials')) return null
  const issue = issueOf(answers, deeds)
  if (!issue || !isOpen(issue, { deed, deeds, known })) return null
  if (passkey)
    return known.sure(deed.account, 'passkey', deed) === passkey.id ? 'the passkey of the account was refused' : null
  if (secondFactor === undefined) return null
  const others = deeds.filter(({ number }) => number !== deed.number)
  if (!app) {
    const codes = known.sure(deed.account, 'codes', deed)
    const isUsed = others.some(({ claims }) => claims.secondFactor === secondFactor)
    return codes && isAmong(secondFactor, codes) && !isUsed ? 'a recovery code that was not spent was refused' : null
  }
  const isPassed = others.some(({ claims }) => claims.app?.secret === app.secret && claims.app.step >= app.step)
  const isNow = Math.floor(deed.endedAt / 30_000) <= app.step + 1
  return known.sure(deed.account, 'totp', deed) === app.secret && isNow && !isPassed
    ? 'a fresh code of the app was refused'
    : null
}

interface Asked {
  readonly deed: Deed
  readonly deeds: readonly Deed[]
  readonly known: Knowledge
}

/** Whether a challenge can surely still be answered. */
function isOpen(issue: Deed, { deed, deeds, known }: Asked): boolean {
  const { answers } = deed.claims
  const tries = deeds.filter(({ claims, number }) => claims.answers === answers && number !== deed.number)
  return (
    tries.length < limits.challengeTries &&
    tries.every(({ outcome, end }) => outcome.kind === 'refused' && end < deed.start) &&
    !deeds.some(({ claims }) => claims.exhausts === answers) &&
    deed.endedAt < issue.startedAt + 1000 * limits.challenge &&
    !known.possiblyRaised(deed.account, { start: issue.start, end: deed.end }) &&
    known.sure(deed.account, 'status', deed) === 'active'
  )
}

/** An acknowledged factor stands in what the service shows of the account. */
export const factorsAreShown: Rule = ({ outcome, ...deed }, _deeds, known) => {
  if (outcome.kind !== 'done' || !outcome.enrolled) return null
  const { enrolled } = outcome
  const missing = (['totp', 'passkey'] as const).find(
    (name) => isSurelyOne(known.possible(deed.account, name, deed)) && !enrolled.includes(name),
  )
  return missing === undefined ? null : `the account shows no ${shownNames[missing]}, and one was set up`
}

const shownNames = { totp: 'app', passkey: 'passkey' } as const

const isOfSameStep = ({ claims: { app } }: Deed, other: Deed): boolean =>
  app?.step === other.claims.app?.step && app?.secret === other.claims.app?.secret

/** Links and codes have one winner. */
export const onceOnly: Rule = (deed, deeds) => {
  for (const name of ['link', 'secondFactor'] as const) {
    const token = deed.claims[name]
    if (token === undefined || !isAccepted(deed)) continue
    const winner = deeds.find(
      (other) =>
        other !== deed &&
        isYes(other) &&
        other.account === deed.account &&
        other.claims[name] === token &&
        // The app, or the next one, may show the same six digits again.
        (name === 'link' || isOfSameStep(other, deed)),
    )
    if (winner) return `the ${name} was accepted twice, first by deed ${winner.number}`
  }
  return null
}
