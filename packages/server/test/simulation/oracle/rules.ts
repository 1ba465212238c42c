import { lifetimes, limits } from '../service/terms.ts'
import type { Credential, Deed, Facts } from './deed.ts'
import { type Knowledge, readKnowledge } from './knowledge.ts'

/** Returns what is wrong with the deed, which has just ended; null: nothing. */
type Rule = (deed: Deed, deeds: readonly Deed[], known: Knowledge) => string | null

/** Judges the deed by those before it. */
export function judge(deed: Deed, deeds: readonly Deed[], initial: ReadonlyMap<string, Facts>): string | null {
  const known = readKnowledge(deeds, initial)
  for (const rule of rules) {
    const finding = rule(deed, deeds, known)
    if (finding !== null) return finding
  }
  return null
}

const isYes = ({ outcome }: Deed): boolean => outcome.kind === 'done'
const isNo = ({ outcome }: Deed, code: string): boolean => outcome.kind === 'refused' && outcome.code === code

/** Nothing is accepted after its acknowledged revocation, or after it expired. */
const revokedIsRefused: Rule = (deed, deeds, known) => {
  const { presents } = deed.claims
  if (!presents || !isYes(deed) || deed.what === 'sign out') return null
  const by = known.surelyRevoked(presents, deed)
  if (by) return `accepted after "${by.what}" (deed ${by.number}) had revoked it`
  const lastUse = Math.max(...usesOf(presents, deed, deeds).map(({ endedAt }) => endedAt))
  if (presents.kind === 'session' && deed.startedAt > lastUse + 1000 * lifetimes.idle)
    return 'accepted after it was idle too long'
  const issue = known.issueOf(presents)
  const lifetime = presents.kind === 'session' ? lifetimes.session : lifetimes.family
  return issue && deed.startedAt > issue.endedAt + 1000 * lifetime ? 'accepted after its lifetime' : null
}

/** The deeds up to this one that have issued or presented the credential. */
function usesOf({ key }: Credential, deed: Deed, deeds: readonly Deed[]): readonly Deed[] {
  return deeds.filter(
    ({ number, claims, outcome }) =>
      number !== deed.number &&
      (claims.presents?.key === key || (outcome.kind === 'done' && outcome.credential?.key === key)),
  )
}

/** A credential that nobody revoked, and that did not expire, is accepted. */
const validIsAccepted: Rule = (deed, _deeds, known) => {
  const { presents, redeems } = deed.claims
  if (!presents || redeems !== undefined || !isNo(deed, 'credential')) return null
  if (known.possiblyRevoked(presents, deed)) return null
  const issue = known.issueOf(presents)
  if (!issue) return null
  const seconds = presents.kind === 'session' ? lifetimes.idle : lifetimes.accessToken
  if (deed.endedAt >= issue.startedAt + 1000 * seconds) return null
  return 'refused, and nobody has revoked it'
}

/** Only the password of the account opens it, and only while it is active. */
const onlyThePasswordOpens: Rule = (deed, _deeds, known) => {
  const { password } = deed.claims
  if (password === undefined || !isYes(deed)) return null
  if (!known.possible(deed.account, 'password', deed).includes(password)) return 'accepted with another password'
  return known.possible(deed.account, 'status', deed).includes('active') ? null : 'accepted although it was not active'
}

/** What was acknowledged is not lost: the password and the status that were set are those that count. */
const thePasswordOpens: Rule = (deed, _deeds, known) => {
  const { password, presents, secondFactor } = deed.claims
  if (password === undefined || secondFactor !== undefined || !isNo(deed, 'credentials')) return null
  if (presents || known.possiblyRaised(deed.account, deed)) return null
  const isRight = known.sure(deed.account, 'password', deed) === password
  return isRight && known.sure(deed.account, 'status', deed) === 'active'
    ? 'the right password of an active account was refused'
    : null
}

/** No credential is issued before the second factor. */
const secondFactorFirst: Rule = ({ outcome, ...deed }, _deeds, known) => {
  if (outcome.kind !== 'done' || !deed.claims.opens || deed.claims.secondFactor !== undefined) return null
  const secrets = known.possible(deed.account, 'totp', deed)
  if (outcome.credential && !secrets.includes(null)) return 'a credential was issued before the second factor'
  return outcome.isChallenged && secrets.every((secret) => secret === null)
    ? 'a second factor was asked for that was never set up'
    : null
}

/** Links and codes have one winner. */
const onceOnly: Rule = (deed, deeds) => {
  for (const name of ['link', 'secondFactor'] as const) {
    const token = deed.claims[name]
    if (token === undefined || !isYes(deed)) continue
    const winner = deeds.find(
      (other) => other !== deed && isYes(other) && other.account === deed.account && other.claims[name] === token,
    )
    if (winner) return `the ${name} was accepted twice, first by deed ${winner.number}`
  }
  return null
}

/** A refresh token is redeemed once; its holder may repeat it shortly, until its successor was used. */
const refreshOnce: Rule = (deed, deeds, known) => {
  const { redeems, presents } = deed.claims
  if (redeems === undefined || !presents) return null
  const ofToken = deeds.filter(({ claims, number }) => claims.redeems === redeems && number !== deed.number)
  const redeemed = ofToken.filter(isYes)
  if (isYes(deed)) return secondYes(deed, redeemed, deeds)
  if (!isNo(deed, 'credentials') || known.possiblyRevoked(presents, deed)) return null
  const issue = known.issueOf(presents)
  const isFresh = ofToken.every(({ start }) => start > deed.end)
  const source = deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.refreshToken === redeems) ?? issue
  const isInTime = source !== undefined && deed.endedAt < source.startedAt + 1000 * lifetimes.refreshToken
  return isFresh && isInTime ? 'a refresh token that was not used before was refused' : null
}

function secondYes(deed: Deed, redeemed: readonly Deed[], deeds: readonly Deed[]): string | null {
  const first = redeemed.reduce<Deed | null>((one, other) => (one && one.endedAt <= other.endedAt ? one : other), null)
  if (!first) return null
  if (deed.startedAt > first.endedAt + 1000 * lifetimes.grace)
    return 'a used refresh token was accepted after the grace'
  const successors = [...redeemed, deed].flatMap(({ outcome }) =>
    outcome.kind === 'done' ? (outcome.refreshToken ?? []) : [],
  )
  if (new Set(successors).size > 1) return 'a refresh token was replaced by two'
  const used = deeds.find(
    (other) => isYes(other) && other.end < deed.start && successors.includes(other.claims.redeems ?? ''),
  )
  return used ? `a refresh token was accepted after its successor was used by deed ${used.number}` : null
}

/** No limit on attempts is exceeded. */
const guessesAreLimited: Rule = (deed, deeds, known) => {
  const { address, password } = deed.claims
  if (address === undefined || password === undefined) return null
  const isTested = (other: Deed): boolean =>
    other.claims.address === address &&
    other.account === deed.account &&
    other.claims.password !== undefined &&
    isNo(other, 'credentials') &&
    !known.possible(other.account, 'password', other).includes(other.claims.password)
  const tested = deeds.filter(isTested)
  const first = Math.min(...tested.map(({ startedAt }) => startedAt))
  const inWindow = tested.filter(({ endedAt }) => endedAt < first + 1000 * limits.guessWindow)
  return inWindow.length > limits.guesses ? `${inWindow.length} passwords were tested in one window` : null
}

/** What the service shows of an account is what was set. */
const rolesAreCurrent: Rule = (deed, _deeds, known) => {
  if (deed.outcome.kind !== 'done' || !deed.outcome.roles) return null
  const shown = deed.outcome.roles.join()
  const possible = known.possible(deed.account, 'roles', deed)
  return possible.includes(shown) ? null : `the roles ${shown} were shown, and ${possible.join(' or ')} were set`
}

const rules: readonly Rule[] = [
  revokedIsRefused,
  validIsAccepted,
  onlyThePasswordOpens,
  thePasswordOpens,
  secondFactorFirst,
  onceOnly,
  refreshOnce,
  guessesAreLimited,
  rolesAreCurrent,
]
