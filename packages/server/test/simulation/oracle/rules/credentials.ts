import { type Credential, type Deed, isNo, isYes } from '../../deeds/deed.ts'
import type { Knowledge } from '../../deeds/knowledge.ts'
import type { Rule } from '../../deeds/rule.ts'
import { lifetimes } from '../../service/terms.ts'
import { isCopied } from './codes.ts'

/** Nothing is accepted after its acknowledged revocation, or after it expired. */
export const revokedIsRefused: Rule = (deed, deeds, known) => {
  const { presents } = deed.claims
  if (!presents || !isYes(deed) || deed.what === 'sign out') return null
  const by = known.surelyRevoked(presents, deed)
  if (by) return `accepted after "${by.what}" (deed ${by.number}) had revoked it`
  const lastUse = Math.max(...usesOf(presents, deed, deeds).map(({ endedAt }) => endedAt))
  if (presents.kind === 'session' && deed.startedAt > lastUse + 1000 * lifetimes.idle)
    return 'accepted after it was idle too long'
  if (isHeldTooLong(presents, deed, known)) return 'accepted after what it was started from has expired'
  const issue = known.issueOf(presents)
  const lifetime = lifetimes[presents.kind === 'app' ? 'family' : presents.kind]
  return issue && deed.startedAt > issue.endedAt + 1000 * lifetime ? 'accepted after its lifetime' : null
}

/** Whether what an administrator acts with was started from what has expired. */
function isHeldTooLong({ standsOn }: Credential, deed: Deed, known: Knowledge): boolean {
  const issue = standsOn && known.issueOf(standsOn)
  if (!issue || standsOn.kind === 'key' || standsOn.kind === 'acting' || standsOn.kind === 'app') return false
  return deed.startedAt > issue.endedAt + 1000 * lifetimes[standsOn.kind]
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
export const validIsAccepted: Rule = (deed, deeds, known) => {
  const { presents, redeems } = deed.claims
  if (!presents || redeems !== undefined || !isNo(deed, 'credential')) return null
  if (known.possiblyRevoked(presents, deed) || isCopied(presents, deed, deeds)) return null
  const issue = known.issueOf(presents)
  if (!issue) return null
  const { idle: session, accessToken, key } = lifetimes
  const seconds = { session, family: accessToken, app: accessToken, acting: accessToken, key }[presents.kind]
  if (deed.endedAt >= issue.startedAt + 1000 * seconds) return null
  return 'refused, and nobody has revoked it'
}

/** What the service shows of an account is what was set. */
export const rolesAreCurrent: Rule = (deed, _deeds, known) => {
  if (deed.outcome.kind !== 'done' || !deed.outcome.roles) return null
  const shown = deed.outcome.roles.join()
  const possible = known.possible(deed.account, 'roles', deed)
  return possible.includes(shown) ? null : `the roles ${shown} were shown, and ${possible.join(' or ')} were set`
}

/** A session is revoked or replaced, and not both: what has replaced it would outrun its revocation. */
export const onceEnded: Rule = (deed, deeds, known) => {
  const session = endedBy(deed)
  const issue = session && known.issueOf(session)
  if (!session || !issue || deed.endedAt > issue.startedAt + 1000 * (lifetimes.idle - 120)) return null
  const other = deeds.find((one) => one !== deed && endedBy(one)?.key === session.key)
  return other ? `it has ended the session that deed ${other.number} had ended` : null
}

/** The session that the deed has surely ended. */
function endedBy({ outcome, claims: { presents, revokes } }: Deed): Credential | null {
  if (outcome.kind !== 'done' || outcome.isChallenged || outcome.isVain) return null
  const isReplaced = outcome.credential && ['session', 'family'].includes(outcome.credential.kind)
  const ended = typeof revokes === 'object' ? revokes : isReplaced ? presents : undefined
  return ended?.kind === 'session' ? ended : null
}

/** Whoever acts as an account does nothing that is for its owner alone. */
export const ownersOnly: Rule = (deed) =>
  deed.claims.isForbidden && isYes(deed) ? 'an administrator did what is for the owner alone' : null
