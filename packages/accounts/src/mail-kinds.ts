interface WithLink {
  /** The link that the mail is about. It holds a secret that works once: never log it. */
  readonly url: string
}

interface AtTime {
  /** When it was asked for, epoch milliseconds: two mails of one kind can be told apart by it. */
  readonly at: number
}

interface WithHome {
  /** Where the service is, without a slash at its end. */
  readonly home: string
}

type FactorKind = 'totp' | 'passkey' | 'recovery-code'

/** What a mail of each kind is written from. None repeats an input: a name can be an advertisement with a link. */
export interface MailData {
  readonly 'verify-address': WithLink & AtTime
  /** As `verify-address`, where it was not the first sign-up with the address. */
  readonly 'contested-address': WithLink & AtTime
  /**
   * Someone has signed up with the address of an account, or asked for it for another one. `isReserved`: the account has
   * another address by now, and may get this one back.
   */
  readonly 'account-exists': WithHome &
    AtTime & { readonly occasion: 'sign-up' | 'email-change'; readonly isReserved: boolean }
  /** `undone-change`: the account has its address back, and what was added to it before that change. */
  readonly 'choose-password': WithLink & { readonly occasion: 'new-account' | 'undone-change' }
  readonly 'reset-password': WithLink & AtTime
  readonly 'password-changed': WithHome
  /** `code` is a secret that works once, in the browser that has asked for it: never log it. */
  readonly 'sign-in-code': AtTime & { readonly code: string; readonly minutes: number }
  readonly 'confirm-email-change': WithLink & AtTime
  /** For the address that an account has. `url` cancels the change, and undoes it for `undoDays`; 0: `url` confirms it. */
  readonly 'email-change-notice': WithLink & AtTime & { readonly undoDays: number }
  /** For both addresses after a change. `url` undoes it; `null` for the new one, and where nothing can be undone. */
  readonly 'email-changed': WithHome & { readonly url: string | null; readonly undoDays: number }
  readonly 'new-device': WithHome & AtTime
  readonly 'factor-added': WithHome & { readonly factor: FactorKind }
  /** `factor: null`: all of them, by those who run the service. */
  readonly 'factor-removed': WithHome & { readonly factor: FactorKind | null }
  /** Too many codes were wrong. The factor works again once it is set up anew. */
  readonly 'factor-disabled': WithHome & { readonly factor: FactorKind }
  /** Five codes were wrong within a day, each after a right first factor. `first`: the latest first factor; `mail`: a mailed code or link. */
  readonly 'codes-guessed': WithHome & AtTime & { readonly first: 'password' | 'mail' | 'provider' }
  /** `issuer`: the provider whose user signs in to the account from now on. */
  readonly 'provider-linked': WithHome & { readonly issuer: string }
  readonly 'provider-unlinked': WithHome & { readonly issuer: string }
  /** `remaining`: how many are left; `null`: not known. */
  readonly 'recovery-code-used': WithHome & { readonly remaining: number | null }
  /** `guessing`: the password was wrong too often, and no longer works. `administrator`: the account is closed. */
  readonly 'account-locked': WithHome & { readonly reason: 'guessing' | 'administrator' }
  readonly 'account-deleted': WithHome
  /** An administrator acts as the account, for so many minutes at most. */
  readonly impersonated: WithHome & AtTime & { readonly minutes: number }
}

/** What a mail is about. */
export type MailKind = keyof MailData

/** A mail before it is written. */
export type Mail<Kind extends MailKind = MailKind> = {
  readonly [One in Kind]: { readonly kind: One; readonly data: MailData[One] }
}[Kind]

/** A mail in words. */
export interface MailText {
  readonly subject: string
  /** One that is the link of the mail and nothing else becomes a link in HTML. */
  readonly paragraphs: readonly string[]
}

/** The words of every kind of mail, in one language. */
export type MailTexts = { readonly [Kind in MailKind]: (data: MailData[Kind]) => MailText }
