import type { Attempt } from './attempt.ts'
import type { Delivery } from './delivery.ts'

/** Why a sign-in was refused, for the log. The answer is the same in every case. */
export type SignInRefusal =
  | 'unknown-account'
  | 'wrong-password'
  | 'no-password'
  | 'unverified'
  | 'disabled'
  | 'locked'
  /** The password was right, and the account has a second factor. */
  | 'second-factor-required'
  /** Password, roles or status changed during the sign-in. */
  | 'account-changed'
  /** The session that it would have replaced was revoked during the sign-in. */
  | 'session-revoked'

/** A mail that anybody can ask for: a mailbox gets a few of each kind within an hour. */
export type WithheldMail = 'verify-email' | 'address-taken' | 'reset-password'

/** The subject of a mail. */
export type MailPurpose = WithheldMail | 'choose-password' | 'password-changed'

/** What was thrown, by its code or its name: its message may hold what an event must not. */
interface Failed {
  readonly failure: string
}

/** A secret was tested and refused. */
interface Attempted {
  readonly attempt: Attempt
}

interface OfAccount {
  readonly accountId: string
}

/**
 * A decision. No event holds a token, a secret, a password, a hash or an e-mail address: an account is named by its id, a
 * session or refresh family by its public key.
 */
export type AccountsDecision =
  /** `accountId`: the account that already has the address, or `null`. */
  | { readonly type: 'sign-up-requested'; readonly accountId: string | null }
  | (OfAccount & { readonly type: 'email-verified' })
  | (Attempted & { readonly type: 'link-refused'; readonly purpose: 'verify-email' | 'reset-password' })
  | (OfAccount & { readonly type: 'signed-in'; readonly key: string; readonly delivery: Delivery })
  | (Attempted & {
      readonly type: 'sign-in-refused'
      readonly accountId: string | null
      readonly reason: SignInRefusal
    })
  | (OfAccount & { readonly type: 'token-refreshed'; readonly key: string; readonly replayed: boolean })
  | (Attempted & { readonly type: 'refresh-refused'; readonly accountId: string | null; readonly reason: string })
  | (OfAccount & { readonly type: 'signed-out'; readonly key: string })
  | (OfAccount & { readonly type: 'session-revoked'; readonly key: string })
  | (OfAccount & { readonly type: 'sessions-revoked'; readonly count: number })
  /** By who is signed in: the credential was renewed, `key` is the new one. */
  | (OfAccount & { readonly type: 'password-confirmed'; readonly key: string })
  | (OfAccount & Attempted & { readonly type: 'password-confirmation-refused'; readonly reason: string })
  | (OfAccount & { readonly type: 'password-changed' })
  | (OfAccount & Attempted & { readonly type: 'password-change-refused' })
  | { readonly type: 'password-reset-requested'; readonly accountId: string | null }
  | (OfAccount & { readonly type: 'password-reset' })
  | (OfAccount & { readonly type: 'password-rehashed' })
  | (OfAccount & Failed & { readonly type: 'password-rehash-failed' })
  /** By an administrator, without a sign-up. */
  | (OfAccount & { readonly type: 'account-created'; readonly roles: readonly string[] })
  | (OfAccount & { readonly type: 'roles-changed'; readonly roles: readonly string[] })
  | (OfAccount & { readonly type: 'account-disabled' })
  | (OfAccount & { readonly type: 'account-enabled' })
  /** A password was set or an address verified, and the store then failed to remove what this has made invalid. */
  | (OfAccount & Failed & { readonly type: 'clean-up-failed' })
  /** The mailbox has got as many mails of this kind within an hour as it may. The answer was the same as with a mail. */
  | { readonly type: 'mail-withheld'; readonly purpose: WithheldMail; readonly accountId: string | null }
  /** The mailer rejected the mail, or a store did not keep its link. The answer was the same as with a mail. */
  | (Failed & { readonly type: 'mail-failed'; readonly purpose: MailPurpose; readonly accountId: string | null })

/** A decision and its time, epoch milliseconds. */
export type AccountsEvent = AccountsDecision & { readonly at: number }
