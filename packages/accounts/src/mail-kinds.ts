interface WithLink {
  /** The link that the mail is about. It holds a secret that works once: never log it. */
  readonly url: string
}

interface AtTime {
  /** The time of the request or event, epoch milliseconds. It distinguishes two mails of one kind. */
  readonly at: number
}

interface WithReset {
  /** The page that requests a mail to reset the password. */
  readonly resetUrl: string
}

interface WithDevices {
  /** The page that lists the devices of the account. */
  readonly devicesUrl: string
}

interface WithAccount {
  /** The page of the account. It leads to the sign-in first. */
  readonly accountUrl: string
}

type FactorKind = 'totp' | 'passkey' | 'recovery-code'

/** The data of each kind of mail. No kind repeats an input: a name can be an advertisement with a link. */
export interface MailData {
  readonly 'verify-address': WithLink & AtTime
  /** As `verify-address`, after the first sign-up with the address. */
  readonly 'contested-address': WithLink & AtTime
  /**
   * A sign-up or a change of email has used the address of an account. `isReserved`: the account has left the address, and may
   * get it back.
   */
  readonly 'account-exists': AtTime &
    WithAccount &
    WithReset & { readonly occasion: 'sign-up' | 'email-change'; readonly isReserved: boolean }
  /** `undone-change`: the account has its address back, and the factors added before that change. */
  readonly 'choose-password': WithLink & { readonly occasion: 'new-account' | 'undone-change' }
  readonly 'reset-password': WithLink & AtTime
  readonly 'password-changed': AtTime & WithReset
  /** `code` is a secret that works once, in the browser that has asked for it: never log it. */
  readonly 'sign-in-code': AtTime & { readonly code: string; readonly minutes: number }
  readonly 'confirm-email-change': WithLink & AtTime
  /** For the address that an account has. `url` cancels the change, and undoes it for `undoDays`; 0: `url` confirms it. */
  readonly 'email-change-notice': WithLink & AtTime & WithReset & { readonly undoDays: number }
  /** For both addresses after a change. `url` undoes it; `null` for the new address, and if the change cannot be undone. */
  readonly 'email-changed': AtTime & { readonly url: string | null; readonly undoDays: number }
  readonly 'new-device': AtTime & WithDevices & WithReset
  readonly 'factor-added': AtTime & WithReset & { readonly factor: FactorKind }
  /** `factor: null`: all factors, by an administrator. */
  readonly 'factor-removed': AtTime & WithAccount & WithReset & { readonly factor: FactorKind | null }
  /** Too many codes were wrong. The factor works again once it is set up anew. */
  readonly 'factor-disabled': AtTime & WithAccount & WithReset & { readonly factor: FactorKind }
  /** Five codes were wrong within a day, each after a right first factor. `first`: the latest first factor; `mail`: a mailed code or link. */
  readonly 'codes-guessed': AtTime & WithReset & { readonly first: 'password' | 'mail' | 'provider' }
  /** `issuer`: the provider whose user signs in to the account from now on. */
  readonly 'provider-linked': AtTime & WithReset & { readonly issuer: string }
  readonly 'provider-unlinked': AtTime & WithReset & { readonly issuer: string }
  /** `remaining`: how many are left; `null`: not known. */
  readonly 'recovery-code-used': AtTime & WithAccount & WithReset & { readonly remaining: number | null }
  /** `guessing`: the password was wrong too often, and no longer works. `administrator`: the account is closed. */
  readonly 'account-locked': AtTime & WithReset & { readonly reason: 'guessing' | 'administrator' }
  readonly 'account-deleted': AtTime
  /** An administrator acts as the account, for at most `minutes`. */
  readonly impersonated: AtTime & WithDevices & { readonly minutes: number }
}

/** The subject of a mail. */
export type MailKind = keyof MailData

/** A mail before it is written. */
export type Mail<Kind extends MailKind = MailKind> = {
  readonly [One in Kind]: { readonly kind: One; readonly data: MailData[One] }
}[Kind]

/** A mail in words. */
export interface MailText {
  readonly subject: string
  /** A paragraph that is only a URL of the data becomes a link in HTML. */
  readonly paragraphs: readonly string[]
}

/** The words of every kind of mail, in one language. */
export type MailTexts = { readonly [Kind in MailKind]: (data: MailData[Kind]) => MailText }
