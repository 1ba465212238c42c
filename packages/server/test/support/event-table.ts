import type { EventFacts } from '@latchkey/events'
import type { OAuthEvent } from '@latchkey/oauth/server'
import type { BreachCheckEvent } from '@latchkey/password'
import type { ServerEvent } from '@latchkey/server'
import type { SessionsEvent } from '@latchkey/sessions'

type Details<Event> = Exclude<keyof Event, 'type' | keyof EventFacts>

/** A row for each type, with its details in the order of the documents: the compiler refuses one too many or too few. */
type Table<Event extends { readonly type: string }> = {
  readonly [One in Event as One['type']]: { readonly [Name in Details<One>]: true }
}

export const serverEvents: Table<ServerEvent> = {
  'sign-up.requested': { channel: true },
  'email.verified': { channel: true },
  'session.created': {
    channel: true,
    delivery: true,
    replaced: true,
    enrollmentDueAt: true,
    byRememberedDevice: true,
  },
  'device.remembered': { channel: true },
  'sign-in.failed': { channel: true, reason: true },
  'sign-in.throttled': { channel: true, limit: true },
  'password.disabled': { channel: true },
  'guessing.suspected': { channel: true, failures: true, seconds: true },
  'family.refreshed': { channel: true, clientId: true, replayed: true },
  'family.reused': { channel: true, clientId: true },
  'refresh.failed': { channel: true, reason: true },
  'session.ended': { channel: true, reason: true },
  'sessions.ended': { channel: true, count: true },
  'session.touch-failed': { failure: true, cause: true },
  'password.confirmed': { channel: true },
  'password.confirmation-failed': { channel: true, reason: true },
  'second-factor.confirmed': { channel: true, factor: true },
  'second-factor.failed': { channel: true, factor: true, reason: true },
  'factor.added': { channel: true, factor: true, id: true },
  'factor.removed': { channel: true, factor: true, id: true },
  'factor.disabled': { channel: true, factor: true },
  'recovery-code.used': { channel: true, remaining: true },
  'name.changed': { channel: true },
  'email-change.requested': { channel: true },
  'email-change.confirmed': { channel: true },
  'email-change.undone': { channel: true, factors: true },
  'account.exported': { channel: true },
  'account.deleted': { channel: true },
  'password.changed': { channel: true },
  'password.change-failed': { channel: true },
  'password.reset-requested': { channel: true },
  'password.reset': { channel: true },
  'password.rehashed': { channel: true },
  'password.rehash-failed': { channel: true, failure: true, cause: true },
  'link.refused': { channel: true, purpose: true },
  'account.created': { channel: true, roles: true },
  'account.disabled': { channel: true },
  'account.enabled': { channel: true },
  'account.locked': { channel: true },
  'account.unlocked': { channel: true },
  'role.changed': { channel: true, roles: true },
  'clean-up.failed': { channel: true, failure: true, cause: true },
  'mail.withheld': { channel: true, purpose: true },
  'mail.failed': { channel: true, purpose: true, failure: true, cause: true },
  'access.denied': { clientId: true, code: true, status: true, paths: true },
  'access.failed': { clientId: true, code: true, id: true, path: true, cause: true },
  'token.revoked': {},
  'key.rotated': { keyId: true },
  'key.replaced': { keyId: true },
  'host.refused': { host: true, setting: true },
  'address.slowed': { share: true, setting: true },
  'transport.weakened': { setting: true },
  'clock.skewed': { skewMs: true },
  'audit.failed': { kind: true, entry: true, failure: true, cause: true },
  'service.failed': { during: true, failure: true, cause: true },
}

/** What the packages emit that are used without a server. */
export const otherEvents: Table<SessionsEvent> & Table<BreachCheckEvent> & Table<OAuthEvent> = {
  'session.created': { replaced: true },
  'session.replacement-refused': {},
  'session.renewed': { epoch: true },
  'session.touch-failed': { failure: true, cause: true },
  'session.ended': {},
  'family.created': { clientId: true },
  'family.refreshed': { clientId: true, replayed: true },
  'family.reused': { clientId: true },
  'family.renewed': { epoch: true },
  'family.ended': {},
  'sessions.ended': { count: true },
  'breach-check.failed': { accepted: true, cause: true },
  'grant.given': { clientId: true, grantId: true, scopes: true },
  'grant.denied': { clientId: true, scopes: true },
  'grant.revoked': { clientId: true, grantId: true },
  'code.replayed': { clientId: true },
  'client.refused': { clientId: true, reason: true },
  'client.served': { clientId: true, grantType: true, scopes: true },
}
