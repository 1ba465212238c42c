import { type Credential, type Deed, isNo, isYes } from '../../deeds/deed.ts'
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
  const issue = known.issueOf(presents)
  const lifetime = lifetimes[presents.kind === 'app' ? 'family' : presents.kind]
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

/** Whoever acts as an account does nothing that is for its owner alone. */
export const ownersOnly: Rule = (deed) =>
  deed.claims.isForbidden && isYes(deed) ? 'an administrator did what is for the owner alone' : null
