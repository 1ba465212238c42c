/**
 * One mail, as plain text and as HTML. An application that writes its own mails takes `kind` and `data`, which the words are made
 * from. No kind repeats an input: a name can be an advertisement with a link.
 *
 * `url` is the link of the mail, `at` the time of the request or event, epoch milliseconds. `resetUrl` is the page that requests a mail
 * to reset the password, `devicesUrl` the list of devices, and `accountUrl` the page of the account, which leads to the sign-in first.
 */
export type Message = {
  /** The canonical address of one recipient. */
  readonly to: string
  /** The language of the words, as a tag of BCP 47. */
  readonly locale: string
  readonly subject: string
  /** The mail as plain text. `url`, unless it is `null`, has a separate line. */
  readonly text: string
  /** The mail as an HTML document without external resources. */
  readonly html: string
  /** The link of the mail, or `null`. It holds a secret that works once: never log it. */
  readonly url: string | null
} & (
  | { readonly kind: 'verify-address'; readonly data: { readonly url: string; readonly at: number } }
  /** As `verify-address`, after the first sign-up with the address. */
  | { readonly kind: 'contested-address'; readonly data: { readonly url: string; readonly at: number } }
  /**
   * A sign-up or a change of email has used the address of an account. `isReserved`: the account has left the address, and may
   * get it back.
   */
  | {
      readonly kind: 'account-exists'
      readonly data: {
        readonly at: number
        readonly accountUrl: string
        readonly resetUrl: string
        readonly occasion: 'sign-up' | 'email-change'
        readonly isReserved: boolean
      }
    }
  /** `undone-change`: the account has its address back, and the factors added before that change. */
  | {
      readonly kind: 'choose-password'
      readonly data: { readonly url: string; readonly occasion: 'new-account' | 'undone-change' }
    }
  | { readonly kind: 'reset-password'; readonly data: { readonly url: string; readonly at: number } }
  | { readonly kind: 'password-changed'; readonly data: { readonly at: number; readonly resetUrl: string } }
  /** `code` is a secret that works once, in the browser that has asked for it: never log it. */
  | {
      readonly kind: 'sign-in-code'
      readonly data: { readonly at: number; readonly code: string; readonly minutes: number }
    }
  | { readonly kind: 'confirm-email-change'; readonly data: { readonly url: string; readonly at: number } }
  /** For the address that an account has. `url` cancels the change, and undoes it for `undoDays`; 0: `url` confirms it. */
  | {
      readonly kind: 'email-change-notice'
      readonly data: { readonly url: string; readonly at: number; readonly resetUrl: string; readonly undoDays: number }
    }
  /** For both addresses after a change. `url` undoes it; `null` for the new address, and if the change cannot be undone. */
  | {
      readonly kind: 'email-changed'
      readonly data: { readonly at: number; readonly url: string | null; readonly undoDays: number }
    }
  | {
      readonly kind: 'new-device'
      readonly data: { readonly at: number; readonly devicesUrl: string; readonly resetUrl: string }
    }
  | {
      readonly kind: 'factor-added'
      readonly data: {
        readonly at: number
        readonly resetUrl: string
        readonly factor: 'totp' | 'passkey' | 'recovery-code'
      }
    }
  /** `factor: null`: all factors, by an administrator. */
  | {
      readonly kind: 'factor-removed'
      readonly data: {
        readonly at: number
        readonly accountUrl: string
        readonly resetUrl: string
        readonly factor: 'totp' | 'passkey' | 'recovery-code' | null
      }
    }
  /** Too many codes were wrong. The factor works again once it is set up anew. */
  | {
      readonly kind: 'factor-disabled'
      readonly data: {
        readonly at: number
        readonly accountUrl: string
        readonly resetUrl: string
        readonly factor: 'totp' | 'passkey' | 'recovery-code'
      }
    }
  /** Five codes were wrong within a day, each after a right first factor. `first`: the latest first factor; `mail`: a mailed code or link. */
  | {
      readonly kind: 'codes-guessed'
      readonly data: {
        readonly at: number
        readonly resetUrl: string
        readonly first: 'password' | 'mail' | 'provider'
      }
    }
  /** `issuer`: the provider whose user signs in to the account from now on. */
  | {
      readonly kind: 'provider-linked'
      readonly data: { readonly at: number; readonly resetUrl: string; readonly issuer: string }
    }
  | {
      readonly kind: 'provider-unlinked'
      readonly data: { readonly at: number; readonly resetUrl: string; readonly issuer: string }
    }
  /** `remaining`: how many are left; `null`: not known. */
  | {
      readonly kind: 'recovery-code-used'
      readonly data: {
        readonly at: number
        readonly accountUrl: string
        readonly resetUrl: string
        readonly remaining: number | null
      }
    }
  | {
      readonly kind: 'api-key-created'
      readonly data: { readonly at: number; readonly accountUrl: string; readonly resetUrl: string }
    }
  /** `guessing`: the password was wrong too often, and no longer works. `administrator`: the account is closed. */
  | {
      readonly kind: 'account-locked'
      readonly data: { readonly at: number; readonly resetUrl: string; readonly reason: 'guessing' | 'administrator' }
    }
  | { readonly kind: 'account-deleted'; readonly data: { readonly at: number } }
  /** An administrator acts as the account, for at most `minutes`. */
  | {
      readonly kind: 'impersonated'
      readonly data: { readonly at: number; readonly devicesUrl: string; readonly minutes: number }
    }
)

/** The words of every kind of mail, in one language. A paragraph that is only a URL of the data becomes a link in HTML. */
export type MailTexts = {
  readonly [Kind in Message['kind']]: (data: Extract<Message, { readonly kind: Kind }>['data']) => {
    readonly subject: string
    readonly paragraphs: readonly string[]
  }
}

export type MailKind = Message['kind']

export type MailText = ReturnType<MailTexts[MailKind]>

export type MailData = { readonly [Kind in MailKind]: Parameters<MailTexts[Kind]>[0] }

/** A mail before it is written. */
export type Mail = { readonly [Kind in MailKind]: { readonly kind: Kind; readonly data: MailData[Kind] } }[MailKind]
