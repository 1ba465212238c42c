import type { AccountsEvent } from '../accounts-event.ts'

/** The actor if the call names none: the account of the decision, or unknown. */
export type AuditedActor = 'owner' | 'unknown'

/** The type of an event that is audited. */
export type AuditedKind = Extract<
  AccountsEvent['type'],
  | 'session.created'
  | 'session.ended'
  | 'sessions.ended'
  | 'sign-in.failed'
  | 'sign-in.throttled'
  | 'second-factor.failed'
  | 'password.changed'
  | 'password.reset-requested'
  | 'password.reset'
  | 'password.disabled'
  | 'email.verified'
  | 'email-change.requested'
  | 'email-change.confirmed'
  | 'email-change.undone'
  | 'role.changed'
  | 'account.created'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.locked'
  | 'account.unlocked'
  | 'account.deleted'
  | 'factor.added'
  | 'factor.removed'
  | 'factor.disabled'
  | 'provider.linked'
  | 'provider.unlinked'
  | 'recovery-code.used'
  | 'family.reused'
  | 'api-key.created'
  | 'api-key.revoked'
  | 'impersonation.started'
  | 'impersonation.refused'
  | 'impersonation.ended'
>

/**
 * The events that are audited. `context.emit` takes only the others: these go through `context.trail`, so none of them is
 * decided without its rows.
 */
export const auditedKinds: Readonly<Record<AuditedKind, AuditedActor>> = {
  'session.created': 'owner',
  'session.ended': 'owner',
  'sessions.ended': 'owner',
  'sign-in.failed': 'unknown',
  'sign-in.throttled': 'unknown',
  'second-factor.failed': 'unknown',
  'password.changed': 'owner',
  'password.reset-requested': 'unknown',
  'password.reset': 'owner',
  'password.disabled': 'unknown',
  'email.verified': 'owner',
  'email-change.requested': 'owner',
  'email-change.confirmed': 'owner',
  'email-change.undone': 'owner',
  'role.changed': 'unknown',
  'account.created': 'unknown',
  'account.disabled': 'unknown',
  'account.enabled': 'unknown',
  'account.locked': 'unknown',
  'account.unlocked': 'unknown',
  'account.deleted': 'owner',
  'factor.added': 'owner',
  'factor.removed': 'owner',
  'factor.disabled': 'unknown',
  'provider.linked': 'owner',
  'provider.unlinked': 'owner',
  'recovery-code.used': 'owner',
  'family.reused': 'unknown',
  'api-key.created': 'owner',
  'api-key.revoked': 'owner',
  'impersonation.started': 'unknown',
  'impersonation.refused': 'unknown',
  'impersonation.ended': 'unknown',
}

/** The other events, each with the reason why it is not audited. */
export const unauditedKinds: Readonly<Record<Exclude<AccountsEvent['type'], AuditedKind>, string>> = {
  'sign-up.requested': 'anybody can ask for it, and nothing is stored for an address that is not proven',
  'sign-in-code.requested': 'anybody can ask for it, and the sign-in that comes of it is audited',
  'link.refused': 'anybody can show a link that is none, and nothing has changed',
  'device.remembered': 'a detail of the sign-in, whose session is audited',
  'guessing.suspected': 'an alarm: the failures that it counts are audited one by one',
  'family.refreshed': 'the session that goes on was audited when it was created',
  'refresh.failed': 'nothing was open any more, and what ended it is audited',
  'password.confirmed': 'the session that goes on was audited when it was created',
  'password.confirmation-failed':
    'by who is signed in: nothing has changed, and too many are throttled, which is audited',
  'second-factor.confirmed': 'the session that goes on was audited when it was created',
  'password.change-failed': 'by who is signed in: nothing has changed, and too many are throttled, which is audited',
  'provider.confirmed': 'the session that goes on was audited when it was created',
  'provider.refused': 'by who is signed in: nothing has changed',
  'name.changed': 'what an account shows of itself: nothing is opened or closed by it',
  'account.exported': 'by who is signed in: nothing has changed',
  'password.rehashed': 'the password is the same',
  'password.rehash-failed': 'the password is the same',
  'api-key.refused': 'anybody can show a key that is none, and nothing has changed',
  'api-key.limited': 'too many requests: nothing has changed',
  'clean-up.failed': 'a failure of a store after a decision that is audited',
  'mail.withheld': 'anybody can ask for a mail, and nothing was sent',
  'mail.failed': 'a failure of the mailer after a decision that is audited',
}

/** The events that are not audited: the only ones that are emitted by themselves. */
export type UnauditedEvent = Extract<AccountsEvent, { readonly type: keyof typeof unauditedKinds }>

/** The events that are audited: each has its rows. */
export type AuditedEvent = Extract<AccountsEvent, { readonly type: AuditedKind }>
