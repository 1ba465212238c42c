import type { Outcome } from './outcomes.ts'
import type { Protection } from './stolen-account.ts'
import { type Loot, loots } from './thieves.ts'
import type { WayBack } from './ways-back.ts'

/** What is tried, and what comes of it: one letter for each loot, in the order of `loots`. */
export interface Row {
  readonly what: string
  /** Operations of the schema, and forms of pages. */
  readonly tries: readonly string[]
  /** With a password alone. */
  readonly nothing: string
  readonly app: string
  readonly passkey: string
  /** How the owner comes back where it was reached. Omitted: by that of the loot. */
  readonly back?: WayBack
  /** It changes nothing, so one way back is walked after all of them. */
  readonly isReading?: true
}

const letters: Readonly<Record<string, Outcome>> = {
  R: 'reached',
  O: 'open to everyone',
  '-': 'there is none',
  P: 'asks for the password',
  F: 'asks for the factor',
  C: 'asks for a code of a mail',
  U: 'UNAUTHENTICATED',
  I: 'INVALID_CREDENTIALS',
  N: 'NOT_FOUND',
  B: 'BAD_USER_INPUT',
}

const columns = { nothing: 'nothing', 'an authenticator app': 'app', 'a passkey': 'passkey' } as const

/** Returns what a row says of a loot. */
export function cellOf(row: Row, protection: Protection, loot: Loot): Outcome {
  const outcome = letters[row[columns[protection]].charAt(loots.indexOf(loot))]
  if (!outcome) throw new Error(`${row.what} says nothing of ${loot}`)
  return outcome
}

/** How the owner comes back, whatever the thief has done that no row has a way of its own for. */
export const backFrom: Readonly<Record<Loot, WayBack>> = {
  'a session': 'sign out everywhere',
  'access and refresh token': 'sign out everywhere',
  'the mailbox of the former address': 'reset by mail',
  'the mailbox of the present address': 'undo by mail',
  'the password': 'reset by mail',
  'a recovery code': 'none',
  'password and recovery code': 'reset by mail',
  'a device token': 'none',
  'a code to the former address': 'reset by mail',
  'a code to the present address': 'undo by mail',
}

/** The loots: session, tokens, former mailbox, present mailbox, password, recovery code, both, device token, codes to both mailboxes. */
export const rows: readonly Row[] = [
  {
    what: 'sign in with a password',
    tries: ['signIn', '/sign-in'],
    nothing: 'IIIIR--III',
    app: 'IIIIFIFIII',
    passkey: 'IIIIFIFIII',
  },
  {
    what: 'with `signIn.emailCode`: sign in with a code of a mail',
    tries: ['signInWithCode', '/sign-in-code'],
    nothing: 'IIRRI--IRR',
    app: 'IIFFIIIIFF',
    passkey: 'IIFFIIIIFF',
  },
  {
    what: 'set a new password by a mail',
    tries: ['resetPassword', '/reset'],
    nothing: 'BBRRB--BRR',
    app: 'BBFRBBBBFR',
    passkey: 'BBFRBBBBFR',
  },
  {
    what: 'undo the change of the address',
    tries: ['undoEmailChange', '/undo-email-change'],
    nothing: 'BBRBB--BRB',
    app: 'BBRBBBBBRB',
    passkey: 'BBRBBBBBRB',
  },
  {
    what: 'read: the account, as an administrator all accounts and the audit log',
    tries: [
      'viewer',
      'session',
      'sessions',
      'factors',
      'passkeys',
      'grants',
      'accounts',
      'findAccounts',
      'auditEntries',
    ],
    nothing: 'RRRRR--URR',
    app: 'RRUUUURUUU',
    passkey: 'RRUUUURUUU',
    isReading: true,
  },
  {
    what: 'what is open to everyone',
    tries: [
      'csrfToken',
      'signUp',
      'signOut',
      'requestPasswordReset',
      'requestSignInCode',
      'startPasskeySignIn',
      '/sign-out',
      '/passkey/start',
      '/sign-up',
    ],
    nothing: 'OOOOO--OOO',
    app: 'OOOOOOOOOO',
    passkey: 'OOOOOOOOOO',
  },
  {
    what: 'confirm a sign-up',
    tries: ['verifyEmail', '/verify'],
    nothing: 'BBBBB--BBB',
    app: 'BBBBBBBBBB',
    passkey: 'BBBBBBBBBB',
  },
  {
    what: 'renew tokens',
    tries: ['refresh'],
    nothing: 'URUUU--UUU',
    app: 'URUUUUUUUU',
    passkey: 'URUUUUUUUU',
  },
  {
    what: 'end sessions, change the name',
    tries: ['revokeSession', 'revokeAllSessions', 'changeName'],
    nothing: 'RRRRR--URR',
    app: 'RRUUUURUUU',
    passkey: 'RRUUUURUUU',
  },
  {
    what: 'withdraw a consent',
    tries: ['revokeGrant'],
    nothing: 'RRNRR--UNR',
    app: 'RRUUUURUUU',
    passkey: 'RRUUUURUUU',
  },
  {
    what: 'prove the password, change it',
    tries: ['confirmPassword', 'changePassword'],
    nothing: 'IIRRR--UII',
    app: 'IIUUUURUUU',
    passkey: 'IIUUUURUUU',
  },
  {
    what: 'administer other accounts',
    tries: ['setRole', 'lockAccount', 'unlockAccount', 'endSessions'],
    nothing: 'PPRRR--URR',
    app: 'FFUUUUFUUU',
    passkey: 'FFUUUUFUUU',
  },
  {
    what: 'finish a sign-in that waits for a factor',
    tries: ['verifySecondFactor', 'finishPasskeySignIn', '/passkey'],
    nothing: 'IIIII--III',
    app: 'IIIIIIIIII',
    passkey: 'IIIIIIIIII',
  },
  {
    what: 'begin to set up an app, or another one',
    tries: ['startTotpEnrollment'],
    nothing: 'PPRRR--URR',
    app: 'FFUUUURUUU',
    passkey: 'FFUUUURUUU',
  },
  {
    what: 'put that app in force',
    tries: ['confirmTotpEnrollment'],
    nothing: 'IIRRR--URR',
    app: 'IIUUUURUUU',
    passkey: 'IIUUUURUUU',
    back: 'administrator',
  },
  {
    what: 'turn the app off',
    tries: ['disableTotp'],
    nothing: 'IIIII--UII',
    app: 'IIUUUUIUUU',
    passkey: 'IIUUUUIUUU',
  },
  {
    what: 'replace the recovery codes',
    tries: ['regenerateRecoveryCodes'],
    nothing: 'IIIII--UII',
    app: 'IIUUUUIUUU',
    passkey: 'FFUUUUFUUU',
  },
  {
    what: 'ask for another address, export, begin to add a passkey',
    tries: ['startPasskeyRegistration', 'requestEmailChange', 'exportAccount'],
    nothing: 'PPRRR--URR',
    app: 'FFUUUUFUUU',
    passkey: 'FFUUUUFUUU',
  },
  {
    what: 'add a passkey',
    tries: ['finishPasskeyRegistration'],
    nothing: 'IIRRR--URR',
    app: 'IIUUUUIUUU',
    passkey: 'IIUUUUIUUU',
    back: 'administrator',
  },
  {
    what: 'rename a passkey',
    tries: ['renamePasskey'],
    nothing: 'NNNNN--UNN',
    app: 'NNUUUUNUUU',
    passkey: 'RRUUUURUUU',
  },
  {
    what: 'remove a passkey',
    tries: ['removePasskey'],
    nothing: 'PPNNN--UNN',
    app: 'FFUUUUNUUU',
    passkey: 'FFUUUURUUU',
  },
  {
    what: 'with `providers`: see what the account is linked to',
    tries: ['linkedProviders'],
    nothing: 'RRRRR--U--',
    app: 'RRUUUURU--',
    passkey: 'RRUUUURU--',
    isReading: true,
  },
  {
    what: 'with `providers`: link a user of the own',
    tries: ['linkProvider'],
    nothing: 'IIRRR--U--',
    app: 'IIUUUUIU--',
    passkey: 'IIUUUUIU--',
  },
  {
    what: 'with `providers`: remove a link',
    tries: ['unlinkProvider'],
    nothing: 'PPNNR--U--',
    app: 'FFUUUUFU--',
    passkey: 'FFUUUUFU--',
  },
  {
    what: 'give the account another address',
    tries: ['confirmEmailChange', '/confirm-email-change'],
    nothing: 'BBRRR--BRR',
    app: 'BBBBBBBBBB',
    passkey: 'BBBBBBBBBB',
    back: 'undo by mail',
  },
  {
    what: 'delete the account',
    tries: ['deleteAccount'],
    nothing: 'PPRRR--URR',
    app: 'FFUUUUFUUU',
    passkey: 'FFUUUUFUUU',
    back: 'none',
  },
  {
    what: 'page: finish a sign-in that waits for a factor',
    tries: ['/second-factor'],
    nothing: 'UUUUU--UUU',
    app: 'UUIIIUUUII',
    passkey: 'UUIIIUUUII',
  },
  {
    what: 'page: prove the password, change it',
    tries: ['/confirm-password', '/account/password'],
    nothing: 'IURRR--UII',
    app: 'IUUUUURUUU',
    passkey: 'IUUUUURUUU',
  },
  {
    what: 'page: change the name, end sessions, withdraw and give consents',
    tries: [
      '/account/name',
      '/account/applications/revoke',
      '/devices/end',
      '/devices/end-others',
      '/consent',
      '/device',
      '/device/decision',
    ],
    nothing: 'RURRR--URR',
    app: 'RUUUUURUUU',
    passkey: 'RUUUUURUUU',
  },
  {
    what: 'page: ask for another address, export, begin to add a passkey',
    tries: ['/account/email', '/account/export', '/account/passkeys/start'],
    nothing: 'PURRR--URR',
    app: 'FUUUUUFUUU',
    passkey: 'FUUUUUFUUU',
  },
  {
    what: 'page: delete the account',
    tries: ['/account/delete'],
    nothing: 'PURRR--URR',
    app: 'FUUUUUFUUU',
    passkey: 'FUUUUUFUUU',
    back: 'none',
  },
  {
    what: 'page: begin to set up an app, or another one',
    tries: ['/account/totp/start'],
    nothing: 'PURRR--URR',
    app: 'FUUUUURUUU',
    passkey: 'FUUUUURUUU',
  },
  {
    what: 'page: put that app in force',
    tries: ['/account/totp/confirm'],
    nothing: 'IURRR--URR',
    app: 'IUUUUURUUU',
    passkey: 'IUUUUURUUU',
    back: 'administrator',
  },
  {
    what: 'page: turn the app off',
    tries: ['/account/totp/remove'],
    nothing: 'IUIII--UII',
    app: 'IUUUUUIUUU',
    passkey: 'IUUUUUIUUU',
  },
  {
    what: 'page: replace the recovery codes',
    tries: ['/account/recovery-codes'],
    nothing: 'NUNNN--UNN',
    app: 'IUUUUUIUUU',
    passkey: 'FUUUUUFUUU',
  },
  {
    what: 'page: add a passkey',
    tries: ['/account/passkeys/add'],
    nothing: 'BURRR--URR',
    app: 'BUUUUUBUUU',
    passkey: 'BUUUUUBUUU',
    back: 'administrator',
  },
  {
    what: 'page: rename a passkey',
    tries: ['/account/passkeys/rename'],
    nothing: 'BUBBB--UBB',
    app: 'BUUUUUBUUU',
    passkey: 'RUUUUURUUU',
  },
  {
    what: 'page: remove a passkey',
    tries: ['/account/passkeys/remove'],
    nothing: 'PUBBB--UBB',
    app: 'FUUUUUBUUU',
    passkey: 'FUUUUURUUU',
  },
  {
    what: 'page: ask for a fresh proof',
    tries: ['/step-up'],
    nothing: 'PUPPP--UCP',
    app: 'FUUUUUFUUU',
    passkey: 'FUUUUUFUUU',
  },
]
