import type { LatchkeyEvent } from '@latchkey/core'
import type { Attempt } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import type { Message } from './message.ts'

/**
 * A decision of this package. No event holds a token, a secret, a password, a hash or an e-mail address: an event names
 * an account by its id, and a session or refresh family by its public key. An event about an address without an account
 * holds no trace of the address.
 *
 * `channel` says how the request was sent, and `sessionKey` names a session or refresh family. Events of mails and
 * clean-ups carry the request id of the call that caused them. `failure` is the code or the name of the thrown error,
 * and `cause` the error itself. `cause` is not enumerable, because it may hold queries and addresses.
 */
export type AccountsEvent = LatchkeyEvent & {
  readonly channel: Attempt['channel']
} & (
    | { readonly type: 'email.verified'; readonly accountId: string }
    /** `accountId`: the account that already has the address, or `null`. */
    | { readonly type: 'sign-up.requested' }
    /** `accountId`: the account that has the address, whether or not it gets a code, or `null`. */
    | { readonly type: 'sign-in-code.requested' }
    | {
        readonly type: 'link.refused'
        readonly purpose: 'verify-email' | 'reset-password' | 'confirm-email-change' | 'undo-email-change'
      }
    /** A sign-in has succeeded; with a `token` or `native` delivery it opened a refresh family. */
    | {
        readonly type: 'session.created'
        readonly accountId: string
        readonly sessionKey: string
        readonly delivery: Delivery
        /** The key of the session that it has replaced. */
        readonly replaced: string | null
        /**
         * The account may sign in without a second factor until this time, epoch milliseconds. `null`: it has a second
         * factor or needs none.
         */
        readonly enrollmentDueAt: number | null
        /** The kinds of factors that were presented for it. */
        readonly factors: readonly string[]
        /** Whether the device was remembered, so that the password was enough for an account with a second factor. */
        readonly byRememberedDevice: boolean
      }
    /** A second factor was presented, and the next sign-ins from this device do not require it. */
    | { readonly type: 'device.remembered'; readonly accountId: string; readonly sessionKey: string }
    | {
        readonly type: 'sign-in.failed'
        readonly reason:
          | 'unknown-account'
          | 'wrong-password'
          /** Too many were wrong in a row: a reset enables it again. */
          | 'password-disabled'
          | 'no-password'
          | 'unverified'
          | 'disabled'
          | 'locked'
          /** The challenge of the browser is unknown, expired, or used up by five attempts or the right code. */
          | 'challenge-ended'
          /** The code of a mail was wrong. */
          | 'factor-wrong'
          /** The same code was accepted for another caller at the same moment. */
          | 'factor-overtaken'
          /** A signed-in user started the callback of the provider, to link or to confirm. */
          | 'other-session'
          /** The provider has verified no address, and no account is linked to the user. */
          | 'email-unverified'
          /** Another account has the verified address. */
          | 'email-held'
          /** The first factor was right, and the account has a second factor. */
          | 'second-factor-required'
          /** Password, roles or status changed during the sign-in. */
          | 'account-changed'
          /** The session that it would have replaced was revoked during the sign-in. */
          | 'session-revoked'
      }
    /** Too many attempts: the credential was not checked. `limit`: the name of the limit. */
    | { readonly type: 'sign-in.throttled'; readonly limit: string }
    /** Too many wrong passwords in a row: a reset enables it again, and other factors still work. Emitted once. */
    | { readonly type: 'password.disabled'; readonly accountId: string }
    /**
     * Within `seconds`, this process counted `failures` wrong passwords and codes over all accounts. Emitted at most
     * once a minute. No attempt is refused because of it.
     */
    | { readonly type: 'guessing.suspected'; readonly failures: number; readonly seconds: number }
    | {
        readonly type: 'family.refreshed'
        readonly accountId: string
        readonly sessionKey: string
        readonly clientId: string
        readonly replayed: boolean
      }
    /** An old refresh token was presented, so a copy of it exists. The family was removed. Emitted once per family. */
    | {
        readonly type: 'family.reused'
        readonly accountId: string
        readonly sessionKey: string
        readonly clientId: string
      }
    | { readonly type: 'refresh.failed'; readonly reason: string }
    | {
        readonly type: 'session.ended'
        readonly accountId: string
        readonly sessionKey: string
        readonly reason: 'sign-out' | 'revoked' | 'provider'
      }
    | { readonly type: 'sessions.ended'; readonly accountId: string; readonly count: number }
    /** The signed-in user repeated the password. `sessionKey`: the renewed credential. */
    | { readonly type: 'password.confirmed'; readonly accountId: string; readonly sessionKey: string }
    | { readonly type: 'password.confirmation-failed'; readonly accountId: string; readonly reason: string }
    /**
     * A second factor was not accepted. `accountId`: `null` if the challenge is not valid. `factor`: the kind that was
     * presented.
     */
    | { readonly type: 'second-factor.failed'; readonly factor: string; readonly reason: string }
    /** The signed-in user presented a second factor. `sessionKey`: the renewed credential. */
    | {
        readonly type: 'second-factor.confirmed'
        readonly accountId: string
        readonly sessionKey: string
        readonly factor: string
      }
    /** The factor counts from now on, or replaces a factor of its kind. `id`: the id of a passkey. */
    | { readonly type: 'factor.added'; readonly accountId: string; readonly factor: string; readonly id: string | null }
    | {
        readonly type: 'factor.removed'
        readonly accountId: string
        readonly factor: string
        readonly id: string | null
      }
    /** Too many wrong codes in a row: others still work. Emitted once. */
    | { readonly type: 'factor.disabled'; readonly accountId: string; readonly factor: string }
    /** `remaining`: how many are left; `null`: the part does not say. */
    | { readonly type: 'recovery-code.used'; readonly accountId: string; readonly remaining: number | null }
    /** A user of this provider signs in to the account from here on. `issuer`: the provider. */
    | { readonly type: 'provider.linked'; readonly accountId: string; readonly issuer: string }
    /** `issuer`: `null` for a link that could not be read. */
    | { readonly type: 'provider.unlinked'; readonly accountId: string; readonly issuer: string | null }
    /** The signed-in user signed in at the provider again. `sessionKey`: the renewed credential. */
    | {
        readonly type: 'provider.confirmed'
        readonly accountId: string
        readonly sessionKey: string
        readonly issuer: string
      }
    /**
     * The callback of a signed-in user neither linked nor confirmed, or the account has changed. The account stays
     * unchanged.
     */
    | {
        readonly type: 'provider.refused'
        readonly accountId: string
        readonly issuer: string | null
        readonly reason: string
      }
    | { readonly type: 'name.changed'; readonly accountId: string }
    /** Each of the two addresses gets a mail. */
    | { readonly type: 'email-change.requested'; readonly accountId: string }
    /** The account has a new address. `sessionKey`: the session or family that stays valid, or `null`. */
    | { readonly type: 'email-change.confirmed'; readonly accountId: string }
    /** The account has its address back, and no password. `factors`: the kinds that were added since, links to providers too, and are removed. */
    | { readonly type: 'email-change.undone'; readonly accountId: string; readonly factors: readonly string[] }
    | { readonly type: 'account.exported'; readonly accountId: string }
    | { readonly type: 'account.deleted'; readonly accountId: string }
    | { readonly type: 'password.changed'; readonly accountId: string }
    | { readonly type: 'password.change-failed'; readonly accountId: string }
    | { readonly type: 'password.reset-requested' }
    | { readonly type: 'password.reset'; readonly accountId: string }
    | { readonly type: 'password.rehashed'; readonly accountId: string }
    | {
        readonly type: 'password.rehash-failed'
        readonly accountId: string
        readonly failure: string
        readonly cause: unknown
      }
    /** An administrator created the account, or its owner verified the address of a sign-up. */
    | { readonly type: 'account.created'; readonly accountId: string; readonly roles: readonly string[] }
    | { readonly type: 'role.changed'; readonly accountId: string; readonly roles: readonly string[] }
    | { readonly type: 'account.disabled'; readonly accountId: string }
    | { readonly type: 'account.enabled'; readonly accountId: string }
    | { readonly type: 'account.locked'; readonly accountId: string }
    | { readonly type: 'account.unlocked'; readonly accountId: string }
    /** The administrator `impersonatorId` acts as the account until `expiresAt`, epoch milliseconds. */
    | {
        readonly type: 'impersonation.started'
        readonly accountId: string
        readonly sessionKey: string
        readonly via: 'cookie' | 'bearer'
        readonly expiresAt: number
      }
    /** `accountId`: `null` if the account does not exist. */
    | {
        readonly type: 'impersonation.refused'
        readonly reason:
          | 'own-account'
          | 'unknown-account'
          | 'unverified'
          | 'disabled'
          | 'locked'
          /** It has a permission that the administrator lacks, or administers the service itself. */
          | 'out-of-reach'
          /** The administrator is impersonating an account already. */
          | 'impersonated'
          /** The account, the administrator or the administrator's own sign-in has changed in the meantime. */
          | 'account-changed'
      }
    | { readonly type: 'impersonation.ended'; readonly accountId: string; readonly sessionKey: string }
    /** `apiKeyId`: the public id of the key, in all of these. */
    | {
        readonly type: 'api-key.created'
        readonly accountId: string
        readonly apiKeyId: string
        readonly scopes: readonly string[]
      }
    /**
     * The owner or a command revoked the key. A use case that revokes all sessions of an account also revokes its keys,
     * without this event.
     */
    | { readonly type: 'api-key.revoked'; readonly accountId: string; readonly apiKeyId: string }
    /**
     * A key was refused. `malformed`: its check is wrong, and no store was read. `account`: the account is not active.
     */
    | {
        readonly type: 'api-key.refused'
        readonly apiKeyId: string | null
        readonly reason: 'malformed' | 'unknown' | 'expired' | 'account'
      }
    /** Too many requests with this key, or too many bad keys from the address. */
    | { readonly type: 'api-key.limited'; readonly apiKeyId: string | null; readonly limit: 'key' | 'address' }
    /**
     * After a new password, a verified address, a changed factor or an accepted code, a store failed to remove the
     * records that it invalidates, or to take the code out of the count.
     */
    | {
        readonly type: 'clean-up.failed'
        readonly accountId: string
        readonly failure: string
        readonly cause: unknown
      }
    /** The mailbox has got as many mails of this kind within an hour as it may. The answer was the same as with a mail. */
    | {
        readonly type: 'mail.withheld'
        readonly purpose:
          | 'verify-address'
          | 'account-exists'
          | 'reset-password'
          | 'sign-in-code'
          | 'confirm-email-change'
          | 'email-change-notice'
          | 'new-device'
      }
    /** The mailer rejected the mail, or a store did not keep its link. The answer was the same as with a mail. */
    | {
        readonly type: 'mail.failed'
        readonly purpose: Message['kind']
        readonly failure: string
        readonly cause: unknown
      }
  )

export type SignInRefusal = Extract<AccountsEvent, { readonly type: 'sign-in.failed' }>['reason']

export type ImpersonationRefusal = Extract<AccountsEvent, { readonly type: 'impersonation.refused' }>['reason']

export type WithheldMail = Extract<AccountsEvent, { readonly type: 'mail.withheld' }>['purpose']

export type LinkPurpose = Extract<AccountsEvent, { readonly type: 'link.refused' }>['purpose']
