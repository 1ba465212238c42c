import { type Credential, type Deed, type Facts, isNo, isYes, setsOf, unknown } from './deed.ts'

/** What the deeds so far let one know. "Possibly" and "surely" speak of the time from a start to an end. */
export interface Knowledge {
  readonly accounts: readonly string[]
  possible<Name extends keyof Facts>(account: string, name: Name, during: Span): readonly Facts[Name][]
  /** Whether the account may have had the value. */
  mayBe<Name extends keyof Facts>(account: string, name: Name, value: Facts[Name], during: Span): boolean
  /** The value, if there can be no other. */
  sure<Name extends keyof Facts>(account: string, name: Name, during: Span): Facts[Name] | undefined
  /** The deed that has surely revoked it before, if there is one. */
  surelyRevoked(credential: Credential, during: Span): Deed | undefined
  possiblyRevoked(credential: Credential, during: Span): boolean
  issueOf(credential: Credential): Deed | undefined
  /** Whether something has perhaps raised the epoch of the account: then a sign-in under way is refused. */
  possiblyRaised(account: string, during: Span): boolean
  /** The deed that has surely raised the epoch of the account between the two, if there is one. */
  surelyRaised(account: string, between: Span): Deed | undefined
}

export type Span = Pick<Deed, 'start' | 'end'>

export function readKnowledge(deeds: readonly Deed[], initial: ReadonlyMap<string, Facts>): Knowledge {
  const possible = possibleOf(deeds, initial)
  return {
    accounts: [...initial.keys()],
    possible,
    mayBe(account, name, value, during) {
      const values: readonly unknown[] = possible(account, name, during)
      return values.includes(value) || values.includes(unknown)
    },
    sure(account, name, during) {
      const values = new Set(possible(account, name, during))
      const [value] = values
      return values.size === 1 && value !== unknown ? value : undefined
    },
    ...revocationsOf(deeds),
    ...raisesOf(deeds),
  }
}

const isWithoutEffect = ({ outcome }: Deed): boolean => outcome.kind === 'refused'
const isRefusal = ({ outcome, claims }: Deed): boolean =>
  outcome.kind === 'refused' && claims.revokesIfRefused !== undefined

/** A new credential that is refused at the last moment, as the account has changed, has replaced the old one. */
const isReplacement = ({ claims: { revokes } }: Deed): boolean => typeof revokes === 'object'

function possibleOf(deeds: readonly Deed[], initial: ReadonlyMap<string, Facts>): Knowledge['possible'] {
  return (account, name, { start, end }) => {
    const writes = deeds.flatMap((deed) => {
      const isBefore = deed.account === account && deed.start < end
      const sets = isBefore ? (setsOf(deed) ?? leftBy(deed, deeds)) : undefined
      return sets && name in sets ? [{ deed, value: (sets as Facts)[name] }] : []
    })
    const done = writes.filter(({ deed }) => deed.outcome.kind === 'done' && deed.end < start)
    const isOverwritten = (endsAt: number): boolean => done.some(({ deed }) => deed.start > endsAt)
    const isOvertaken = (deed: Deed): boolean =>
      done.some(({ deed: change }) => hasRevokedItsProof(change, deed, deeds))
    const values = writes
      .filter(({ deed }) => !isOverwritten(deed.end) && !(isYes(deed) && deed.end < start && isOvertaken(deed)))
      .map(({ value }) => value)
    const first = initial.get(account)
    return first && !isOverwritten(-1) ? [first[name], ...values] : values
  }
}

/** Whether the deed has surely come before the change that it met: the change has revoked what was presented for it. */
function hasRevokedItsProof(change: Deed, deed: Deed, deeds: readonly Deed[]): boolean {
  const { number, start, end, claims } = deed
  const { presents } = claims
  // The session of a change is valid until a new one has replaced it.
  if (change.number === number || change.claims.mayRevoke || presents?.key === change.claims.presents?.key) return false
  if (change.start > end || change.end < start) return false
  const issue = deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.credential?.key === presents?.key)
  return (
    presents !== undefined && issue !== undefined && issue.end < change.start && covers(change, presents, isNotAmong)
  )
}

function leftBy(deed: Deed, deeds: readonly Deed[]): Partial<Facts> | undefined {
  const { leavesIfRefused } = deed.claims
  return isWithoutEffect(deed) && deeds.some((other) => isBeside(other, deed)) ? leavesIfRefused : undefined
}

/** A change of factors that another change has met keeps nothing that was open. */
const isOverrun = (deed: Deed, deeds: readonly Deed[]): boolean =>
  isOfFactors(deed) &&
  deeds.some((other) => isBeside(other, deed) && typeof other.claims.revokes === 'string' && !isWithoutEffect(other))

/**
 * It may be refused once it has revoked what was open: a change of factors that has met another deed, or a deletion that has met
 * the removal of another administrator.
 */
const isTakenBack = (deed: Deed, deeds: readonly Deed[]): boolean => {
  if (isLastBy(deed)) return deeds.some((other) => isDuring(other, deed) && mayRemoveAdministrator(other))
  return isOfFactors(deed) && isWithoutEffect(deed) && deeds.some((other) => isBeside(other, deed))
}

const mayRemoveAdministrator = ({ claims: { sets } }: Deed): boolean =>
  sets?.status !== undefined || sets?.roles !== undefined

const isLastBy = (deed: Deed): boolean => deed.claims.sets?.status === 'deleted' && isNo(deed, 'LAST_ADMINISTRATOR')

const isOfFactors = ({ claims: { sets, revokes, audited = '' } }: Deed): boolean =>
  sets !== undefined &&
  ('totp' in sets || 'passkey' in sets || audited.startsWith('provider.')) &&
  typeof revokes === 'string'

const isBeside = (other: Deed, deed: Deed): boolean => other.account === deed.account && isDuring(other, deed)

const isDuring = (other: Deed, { number, start, end }: Deed): boolean =>
  other.number !== number && other.start < end && other.end > start

function revocationsOf(deeds: readonly Deed[]): Pick<Knowledge, 'surelyRevoked' | 'possiblyRevoked' | 'issueOf'> {
  const issueOf = (credential: Credential): Deed | undefined =>
    deeds.find(({ outcome }) => outcome.kind === 'done' && outcome.credential?.key === credential.key)
  return {
    issueOf,
    surelyRevoked(credential, { start }) {
      const issue = issueOf(credential)
      const source = issue && sourceOf(issue, deeds)
      return deeds.find(
        (deed) =>
          (isYes(deed) || isRefusal(deed)) &&
          deed.end < start &&
          issue !== undefined &&
          issue !== deed &&
          (issue.end < deed.start ||
            (source !== undefined && source.end < deed.start && hasOverrun(deed, issue, source)) ||
            hasReplacedProof(deed, issue, deeds)) &&
          covers(deed, credential, isNotAmong) &&
          !(isVainEnd(deed, credential) && isPerhapsReplaced(deed, deeds, issueOf)),
      )
    },
    possiblyRevoked(credential, during) {
      const issuedFrom = issueOf(credential)?.start ?? 0
      return deeds.some(
        (deed) =>
          deed !== during &&
          deed.start < during.end &&
          deed.end > issuedFrom &&
          (!isWithoutEffect(deed) ||
            isRefusal(deed) ||
            isReplacement(deed) ||
            isTakenBack(deed, deeds) ||
            credential.kind === 'key') &&
          (covers(deed, credential, (keepers, key) => keepers.length !== 1 || keepers[0] !== key) ||
            mayEndAccess(deed, credential) ||
            ((deed.claims.mayRevoke || isOverrun(deed, deeds)) && isOf(deed, credential) && !isKept(deed, credential))),
      )
    },
  }
}

/** The deed that has issued what the credential was got with: a session, or a code out of one. */
function sourceOf({ claims: { presents, code } }: Deed, deeds: readonly Deed[]): Deed | undefined {
  return deeds.find(
    ({ outcome }) =>
      outcome.kind === 'done' &&
      ((presents !== undefined && outcome.credential?.key === presents.key) ||
        (code !== undefined && outcome.appCode === code)),
  )
}

/**
 * Whether the change has surely come after the issue, although they met: before it, the change would have revoked what the
 * credential was got with.
 */
function hasOverrun(change: Deed, issue: Deed, source: Deed): boolean {
  const { revokes, mayRevoke, withdraws, endsLineage } = change.claims
  if (issue.claims.code !== undefined) {
    const isChange = withdraws === true || (typeof revokes === 'string' && !mayRevoke)
    return endsLineage !== undefined || (change.account === issue.account && isChange)
  }
  const used = source.outcome.kind === 'done' ? source.outcome.credential : undefined
  // The session of a change is valid until a new one has replaced it.
  if (used === undefined || used.key === change.claims.presents?.key) return false
  return !mayRevoke && covers(change, used, isNotAmong)
}

/**
 * Whether the sign-in has surely come before the change, although they met: after it, its password would have been wrong, its user
 * of the provider not linked, its passkey not registered, or its code by mail no longer valid.
 */
function hasReplacedProof(change: Deed, issue: Deed, deeds: readonly Deed[]): boolean {
  const { claims } = issue
  if (typeof change.claims.revokes !== 'string' || change.claims.mayRevoke) return false
  if (change.account !== issue.account || claims.presents !== undefined) return false
  if (claims.mailed) return wasAsked(claims.mailed.challenge, change.start, deeds)
  return (['password', 'user', 'passkey'] as const).some((name) => hasReplaced(name, change, issue, deeds))
}

function hasReplaced(name: 'password' | 'user' | 'passkey', change: Deed, issue: Deed, deeds: readonly Deed[]) {
  const set = setsOf(change)?.[name]
  const shown = name === 'passkey' ? issue.claims.passkey?.id : issue.claims[name]
  if (set === undefined || set === unknown || set === shown || shown === undefined) return false
  const mayHaveSet = (deed: Deed): boolean => [shown, unknown].includes(deed.claims.sets?.[name] ?? '')
  return !deeds.some((deed) => deed.account === issue.account && mayHaveSet(deed) && deed.end > change.start)
}

/** Whether the code by mail was asked for before the step. */
const wasAsked = (challenge: string, step: number, deeds: readonly Deed[]): boolean =>
  deeds.some(({ outcome, end }) => outcome.kind === 'done' && outcome.mailedChallenge === challenge && end < step)

type Ends = (keepers: readonly string[], key: string) => boolean

const isNotAmong: Ends = (keepers, key) => !keepers.includes(key)

/** Whether the deed revokes the credential if it is done; `ends` decides for one that goes on perhaps. */
function covers(deed: Deed, credential: Credential, ends: Ends): boolean {
  const { revokes, alsoRevokes, revokesIfRefused, presents, keeps = presents ? [presents] : [] } = deed.claims
  if (alsoRevokes?.key === credential.key || isStoodOn(deed, credential)) return true
  if (credential.kind === 'app' && credential.lineage !== undefined && credential.lineage === deed.claims.endsLineage)
    return true
  if (revokesIfRefused && [credential.key, credential.standsOn?.key].includes(revokesIfRefused.key))
    return deed.outcome.kind !== 'done'
  if (typeof revokes === 'object') return revokes.key === credential.key
  if (deed.account !== credential.account) return false
  if (deed.claims.withdraws) return credential.kind === 'app'
  if (revokes === undefined) return false
  if (isKept(deed, credential)) return false
  if (revokes === 'all' || credential.kind === 'key') return true
  return ends(
    keeps.map(({ key }) => key),
    credential.key,
  )
}

const mayEndAccess = ({ claims }: Deed, { kind, lineage }: Credential): boolean =>
  kind === 'app' && lineage !== undefined && claims.mayEndLineage === lineage

/** A sign-out of a session that is over has found nothing to revoke. */
const isVainEnd = ({ outcome, claims }: Deed, { kind, lineage }: Credential): boolean =>
  kind === 'app' &&
  lineage !== undefined &&
  claims.endsLineage === lineage &&
  outcome.kind === 'done' &&
  outcome.isVain === true

/** A session does not expire before this time after its issue. */
const surelyOpenMs = 780_000

/**
 * Whether the session that the deed was to end has perhaps a successor, which has the access of applications, or is over for
 * another reason. Otherwise another deed of this kind has ended it, and the access before it.
 */
function isPerhapsReplaced(deed: Deed, deeds: readonly Deed[], issueOf: Knowledge['issueOf']): boolean {
  const session = deed.claims.revokes
  const issue = typeof session === 'object' ? issueOf(session) : undefined
  if (typeof session !== 'object' || !issue) return true
  if (deed.endedAt > issue.startedAt + surelyOpenMs) return true
  return deeds.some(({ account, claims, start }) => {
    const { presents, opens, sets, revokes, mayRevoke, endsLineage } = claims
    if (start >= deed.end || endsLineage !== undefined) return false
    if (typeof revokes === 'object' && revokes.key === session.key) return true
    const isChange = sets !== undefined || mayRevoke === true || typeof revokes === 'string'
    return presents?.key === session.key ? opens === true || isChange : account === session.account && isChange
  })
}

/** Whoever acts as an account loses it with every change of the own one, too. */
function isStoodOn({ account, claims: { revokes, alsoRevokes } }: Deed, { standsOn }: Credential): boolean {
  if (!standsOn) return false
  const isRaised = account === standsOn.account && typeof revokes === 'string'
  return isRaised || alsoRevokes?.key === standsOn.key || (typeof revokes === 'object' && revokes.key === standsOn.key)
}

const isOf = ({ account }: Deed, { account: own, standsOn }: Credential): boolean =>
  account === own || account === standsOn?.account

const isKept = ({ claims }: Deed, { kind }: Credential): boolean => kind === 'key' && claims.keepsKeys === true

function raisesOf(deeds: readonly Deed[]): Pick<Knowledge, 'possiblyRaised' | 'surelyRaised'> {
  return {
    possiblyRaised: (account, { start, end }) =>
      deeds.some(
        (deed) =>
          deed.account === account &&
          deed.start < end &&
          deed.end > start &&
          (!isWithoutEffect(deed) || isTakenBack(deed, deeds)) &&
          (deed.claims.mayRevoke || typeof deed.claims.revokes === 'string'),
      ),
    surelyRaised: (account, { start, end }) =>
      deeds.find(
        (deed) =>
          deed.account === account &&
          deed.start > start &&
          deed.end < end &&
          isYes(deed) &&
          !deed.claims.mayRevoke &&
          typeof deed.claims.revokes === 'string',
      ),
  }
}
