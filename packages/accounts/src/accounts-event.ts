import type { Delivery } from './delivery.ts'

/** Why a sign-in was refused: for the log. Whoever tried is told the same in every case. */
export type SignInRefusal =
  | 'unknown-account'
  | 'wrong-password'
  | 'no-password'
  | 'unverified'
  | 'disabled'
  /** Password, roles or status changed while the sign-in was under way. */
  | 'account-changed'
  /** The session that it would have replaced was revoked in the meantime. */
  | 'session-revoked'

/** What a mail is about. */
export type MailPurpose = 'verify-email' | 'address-taken' | 'reset-password' | 'password-changed'

/** What was thrown, by its code or its name: its message may hold what no event may. */
interface Failed {
  readonly failure: string
}

interface OfAccount {
  readonly accountId: string
}

/**
 * A decision. No event holds a token, a secret, a password, a hash or an e-mail address; an account stands in it by its
 * id, a session or refresh family by its public key.
 */
export type AccountsDecision =
  /** `accountId`: the account that has the address already, else `null`. */
  | { readonly type: 'sign-up-requested'; readonly accountId: string | null }
  | (OfAccount & { readonly type: 'email-verified' })
  | { readonly type: 'link-refused'; readonly purpose: 'verify-email' | 'reset-password' }
  | (OfAccount & { readonly type: 'signed-in'; readonly key: string; readonly delivery: Delivery })
  | { readonly type: 'sign-in-refused'; readonly accountId: string | null; readonly reason: SignInRefusal }
  | (OfAccount & { readonly type: 'token-refreshed'; readonly key: string; readonly replayed: boolean })
  | { readonly type: 'refresh-refused'; readonly accountId: string | null; readonly reason: string }
  | (OfAccount & { readonly type: 'signed-out'; readonly key: string })
  | (OfAccount & { readonly type: 'session-revoked'; readonly key: string })
  | (OfAccount & { readonly type: 'sessions-revoked'; readonly count: number })
  | (OfAccount & { readonly type: 'password-changed' })
  | (OfAccount & { readonly type: 'password-change-refused' })
  | { readonly type: 'password-reset-requested'; readonly accountId: string | null }
  | (OfAccount & { readonly type: 'password-reset' })
  | (OfAccount & { readonly type: 'password-rehashed' })
  | (OfAccount & Failed & { readonly type: 'password-rehash-failed' })
  | (OfAccount & { readonly type: 'roles-changed'; readonly roles: readonly string[] })
  | (OfAccount & { readonly type: 'account-disabled' })
  | (OfAccount & { readonly type: 'account-enabled' })
  /** A password or an address was changed, and the store then failed to remove what that has made worthless. */
  | (OfAccount & Failed & { readonly type: 'clean-up-failed' })
  /** As many links of this purpose wait for the address as may. Whoever asked was answered all the same. */
  | {
      readonly type: 'mail-withheld'
      readonly purpose: 'verify-email' | 'reset-password'
      readonly accountId: string | null
    }
  /** The mailer did not take the mail. Whoever asked was answered all the same. */
  | (Failed & { readonly type: 'mail-failed'; readonly purpose: MailPurpose; readonly accountId: string | null })

/** A decision and when it was taken, epoch milliseconds. */
export type AccountsEvent = AccountsDecision & { readonly at: number }
