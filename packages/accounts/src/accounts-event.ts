import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'
import type { Attempt } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import type { MailKind } from './mail-kinds.ts'

/** Why a sign-in was refused, for the log. The answer is the same in every case. */
export type SignInRefusal =
  | 'unknown-account'
  | 'wrong-password'
  /** Too many were wrong in a row: a reset enables it again. */
  | 'password-disabled'
  | 'no-password'
  | 'unverified'
  | 'disabled'
  | 'locked'
  /** What was shown beside a code of a mail is none that can be answered: of ten minutes, five tries and one right code, one has ended it. */
  | 'challenge-ended'
  /** The code of a mail was wrong. */
  | 'factor-wrong'
  /** The same code was accepted for another caller at the same moment. */
  | 'factor-overtaken'
  /** The callback of the provider was begun by who was signed in, for something else. */
  | 'other-session'
  /** The provider has verified no address of a user whom no account is linked to. */
  | 'email-unverified'
  /** The address that it has verified is that of an account, which is another one. */
  | 'email-held'
  /** The first factor was right, and the account has a second factor. */
  | 'second-factor-required'
  /** Password, roles or status changed during the sign-in. */
  | 'account-changed'
  /** The session that it would have replaced was revoked during the sign-in. */
  | 'session-revoked'

/** Why a second factor was refused, for the log. The answer is the same in every case. */
export type SecondFactorRefusal =
  /** Of five minutes, five codes and one right answer, one has ended the challenge; or it never was one. */
  | 'challenge-ended'
  /** The challenge is that of another session. */
  | 'other-session'
  /** This kind of factor does not answer the challenge; nothing was tested. */
  | 'kind-refused'
  | 'factor-wrong'
  | 'factor-used'
  /** The same code was accepted for another caller at the same moment. */
  | 'factor-overtaken'
  | 'factor-disabled'
  | 'factor-not-enrolled'
  /** It shows what the first factor has shown: two factors of one category are not two. */
  | 'same-category'

/** Why an administrator may not act as an account, for the log. */
export type ImpersonationRefusal =
  | 'own-account'
  | 'unknown-account'
  | 'unverified'
  | 'disabled'
  | 'locked'
  /** It has a permission that the administrator lacks, or administers the service itself. */
  | 'out-of-reach'
  /** Who asks acts as another account already. */
  | 'impersonated'
  /** The account, the administrator or the administrator's own sign-in has changed in the meantime. */
  | 'account-changed'

/** A mail that can be asked for: a mailbox gets a few of each kind within an hour. */
export type WithheldMail = Extract<
  MailKind,
  | 'verify-address'
  | 'account-exists'
  | 'reset-password'
  | 'sign-in-code'
  | 'confirm-email-change'
  | 'email-change-notice'
  | 'new-device'
>

/** What a link of a mail is for. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'confirm-email-change' | 'undo-email-change'

/** What came of a call of a use case; mails and clean-ups that follow it are of the same call. */
interface Asked extends LatchkeyEvent {
  /** How the request was sent. */
  readonly channel: Attempt['channel']
}

interface OfAccount extends Asked {
  readonly accountId: string
}

/** `sessionKey`: the session or refresh family. */
interface OfSession extends OfAccount {
  readonly sessionKey: string
}

/**
 * A decision. No event holds a token, a secret, a password, a hash or an e-mail address: an account is named by its id, a
 * session or refresh family by its public key. Of an address that no account has, an event holds nothing.
 */
export type AccountsEvent =
  /** `accountId`: the account that already has the address, or `null`. */
  | (Asked & { readonly type: 'sign-up.requested' })
  | (OfAccount & { readonly type: 'email.verified' })
  /** `accountId`: the account that has the address, whether or not it gets a code, or `null`. */
  | (Asked & { readonly type: 'sign-in-code.requested' })
  | (Asked & { readonly type: 'link.refused'; readonly purpose: LinkPurpose })
  /** A sign-in has succeeded; with a `token` or `native` delivery it opened a refresh family. */
  | (OfSession & {
      readonly type: 'session.created'
      readonly delivery: Delivery
      /** The key of the session that it has replaced. */
      readonly replaced: string | null
      /** Until when the account may do without a second factor; `null`: it has one, or needs none. */
      readonly enrollmentDueAt: number | null
      /** The kinds of factors that were shown for it. */
      readonly factors: readonly string[]
      /** Whether the device was remembered, so that the password was enough for an account with a second factor. */
      readonly byRememberedDevice: boolean
    })
  /** A second factor was shown, and is not asked for by the next sign-ins from this device. */
  | (OfSession & { readonly type: 'device.remembered' })
  | (Asked & { readonly type: 'sign-in.failed'; readonly reason: SignInRefusal })
  /** Too many attempts: nothing was tested. `limit`: the name of the limit. */
  | (Asked & { readonly type: 'sign-in.throttled'; readonly limit: string })
  /** Too many wrong passwords in a row: a reset enables it again, and other factors still work. Emitted once. */
  | (OfAccount & { readonly type: 'password.disabled' })
  /**
   * So many passwords and codes of all accounts were wrong in this process within that time. Emitted once a minute at most; it
   * refuses nothing.
   */
  | (Asked & { readonly type: 'guessing.suspected'; readonly failures: number; readonly seconds: number })
  | (OfSession & { readonly type: 'family.refreshed'; readonly clientId: string; readonly replayed: boolean })
  /** An old refresh token was presented, so a copy of it exists. The family was removed. Emitted once per family. */
  | (OfSession & { readonly type: 'family.reused'; readonly clientId: string })
  | (Asked & { readonly type: 'refresh.failed'; readonly reason: string })
  | (OfSession & { readonly type: 'session.ended'; readonly reason: 'sign-out' | 'revoked' | 'provider' })
  | (OfAccount & { readonly type: 'sessions.ended'; readonly count: number })
  /** By who is signed in: the credential was renewed, `sessionKey` is the new one. */
  | (OfSession & { readonly type: 'password.confirmed' })
  | (OfAccount & { readonly type: 'password.confirmation-failed'; readonly reason: string })
  /** A second factor was not accepted. `accountId`: `null` where the challenge is none. `factor`: the kind that was shown. */
  | (Asked & { readonly type: 'second-factor.failed'; readonly factor: string; readonly reason: string })
  /** By who is signed in: the credential was renewed, `sessionKey` is the new one. */
  | (OfSession & { readonly type: 'second-factor.confirmed'; readonly factor: string })
  /** A factor counts from here on, or has taken the place of one of its kind. `id`: of a passkey. */
  | (OfAccount & { readonly type: 'factor.added'; readonly factor: string; readonly id: string | null })
  | (OfAccount & { readonly type: 'factor.removed'; readonly factor: string; readonly id: string | null })
  /** Too many wrong codes in a row: others still work. Emitted once. */
  | (OfAccount & { readonly type: 'factor.disabled'; readonly factor: string })
  /** `remaining`: how many are left; `null`: the part does not say. */
  | (OfAccount & { readonly type: 'recovery-code.used'; readonly remaining: number | null })
  /** A user of this provider signs in to the account from here on. `issuer`: the provider. */
  | (OfAccount & { readonly type: 'provider.linked'; readonly issuer: string })
  | (OfAccount & { readonly type: 'provider.unlinked'; readonly issuer: string })
  /** By who is signed in: the credential was renewed, `sessionKey` is the new one. */
  | (OfSession & { readonly type: 'provider.confirmed'; readonly issuer: string })
  /** By who is signed in: a callback did not link or prove, or the account has changed. Nothing else has. */
  | (OfAccount & { readonly type: 'provider.refused'; readonly issuer: string | null; readonly reason: string })
  | (OfAccount & { readonly type: 'name.changed' })
  /** Each of the two addresses gets a mail. */
  | (OfAccount & { readonly type: 'email-change.requested' })
  /** The account has another address. `sessionKey`: what goes on, or `null`. */
  | (OfAccount & { readonly type: 'email-change.confirmed' })
  /** The account has its address back, and no password. `factors`: the kinds that were added since, links to providers too, and are removed. */
  | (OfAccount & { readonly type: 'email-change.undone'; readonly factors: readonly string[] })
  | (OfAccount & { readonly type: 'account.exported' })
  | (OfAccount & { readonly type: 'account.deleted' })
  | (OfAccount & { readonly type: 'password.changed' })
  | (OfAccount & { readonly type: 'password.change-failed' })
  | (Asked & { readonly type: 'password.reset-requested' })
  | (OfAccount & { readonly type: 'password.reset' })
  | (OfAccount & { readonly type: 'password.rehashed' })
  | (OfAccount & FailureFacts & { readonly type: 'password.rehash-failed' })
  /** By an administrator, or by the sign-up of who has now proven the address. */
  | (OfAccount & { readonly type: 'account.created'; readonly roles: readonly string[] })
  | (OfAccount & { readonly type: 'role.changed'; readonly roles: readonly string[] })
  | (OfAccount & { readonly type: 'account.disabled' })
  | (OfAccount & { readonly type: 'account.enabled' })
  | (OfAccount & { readonly type: 'account.locked' })
  | (OfAccount & { readonly type: 'account.unlocked' })
  /** The administrator `impersonatorId` acts as the account until `expiresAt`, epoch milliseconds. */
  | (OfSession & {
      readonly type: 'impersonation.started'
      readonly via: 'cookie' | 'bearer'
      readonly expiresAt: number
    })
  /** `accountId`: `null` where there is no such account. */
  | (Asked & { readonly type: 'impersonation.refused'; readonly reason: ImpersonationRefusal })
  | (OfSession & { readonly type: 'impersonation.ended' })
  /**
   * A password was set, an address verified, a factor changed or a code accepted, and a store then failed to remove what
   * this has made invalid, or to take the code out of the attempts that are counted.
   */
  | (OfAccount & FailureFacts & { readonly type: 'clean-up.failed' })
  /** The mailbox has got as many mails of this kind within an hour as it may. The answer was the same as with a mail. */
  | (Asked & { readonly type: 'mail.withheld'; readonly purpose: WithheldMail })
  /** The mailer rejected the mail, or a store did not keep its link. The answer was the same as with a mail. */
  | (Asked & FailureFacts & { readonly type: 'mail.failed'; readonly purpose: MailKind })
