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
}

/** The loots: session, tokens, former mailbox, present mailbox, password, recovery code, both, device token. */
export const rows: readonly Row[] = [
  {
    what: 'sign in with a password',
    tries: ['signIn', '/sign-in'],
    nothing: 'IIIIR--I',
    app: 'IIIIFIFI',
    passkey: 'IIIIFIFI',
  },
  {
    what: 'set a new password by a mail',
    tries: ['resetPassword', '/reset'],
    nothing: 'BBRRB--B',
    app: 'BBFRBBBB',
    passkey: 'BBFRBBBB',
  },
  {
    what: 'undo the change of the address',
    tries: ['undoEmailChange', '/undo-email-change'],
    nothing: 'BBRBB--B',
    app: 'BBRBBBBB',
    passkey: 'BBRBBBBB',
  },
  {
    what: 'read: the account, as an administrator all accounts and the audit log',
    tries: ['viewer', 'sessions', 'factors', 'passkeys', 'grants', 'accounts', 'findAccounts', 'auditEntries'],
    nothing: 'RRRRR--U',
    app: 'RRUUUURU',
    passkey: 'RRUUUURU',
    isReading: true,
  },
  {
    what: 'what is open to everyone',
    tries: [
      'csrfToken',
      'signUp',
      'signOut',
      'requestPasswordReset',
      'startPasskeySignIn',
      '/sign-out',
      '/passkey/start',
      '/sign-up',
    ],
    nothing: 'OOOOO--O',
    app: 'OOOOOOOO',
    passkey: 'OOOOOOOO',
  },
  {
    what: 'confirm a sign-up',
    tries: ['verifyEmail', '/verify'],
    nothing: 'BBBBB--B',
    app: 'BBBBBBBB',
    passkey: 'BBBBBBBB',
  },
  {
    what: 'renew tokens',
    tries: ['refresh'],
    nothing: 'IRIII--I',
    app: 'IRIIIIII',
    passkey: 'IRIIIIII',
  },
  {
    what: 'end sessions, change the name',
    tries: ['revokeSession', 'revokeAllSessions', 'changeName'],
    nothing: 'RRRRR--U',
    app: 'RRUUUURU',
    passkey: 'RRUUUURU',
  },
  {
    what: 'withdraw a consent',
    tries: ['revokeGrant'],
    nothing: 'RRNRR--U',
    app: 'RRUUUURU',
    passkey: 'RRUUUURU',
  },
  {
    what: 'prove the password, change it',
    tries: ['confirmPassword', 'changePassword'],
    nothing: 'IIRRR--U',
    app: 'IIUUUURU',
    passkey: 'IIUUUURU',
  },
  {
    what: 'administer other accounts',
    tries: ['setRole', 'lockAccount', 'unlockAccount', 'endSessions'],
    nothing: 'PPRRR--U',
    app: 'FFUUUUFU',
    passkey: 'FFUUUUFU',
  },
  {
    what: 'finish a sign-in that waits for a factor',
    tries: ['verifySecondFactor', 'finishPasskeySignIn', '/passkey'],
    nothing: 'IIIII--I',
    app: 'IIIIIIII',
    passkey: 'IIIIIIII',
  },
  {
    what: 'begin to set up an app, or another one',
    tries: ['startTotpEnrollment'],
    nothing: 'PPRRR--U',
    app: 'FFUUUURU',
    passkey: 'FFUUUURU',
  },
  {
    what: 'put that app in force',
    tries: ['confirmTotpEnrollment'],
    nothing: 'IIRRR--U',
    app: 'IIUUUURU',
    passkey: 'IIUUUURU',
    back: 'administrator',
  },
  {
    what: 'turn the app off',
    tries: ['disableTotp'],
    nothing: 'IIIII--U',
    app: 'IIUUUUIU',
    passkey: 'IIUUUUIU',
  },
  {
    what: 'replace the recovery codes',
    tries: ['regenerateRecoveryCodes'],
    nothing: 'IIIII--U',
    app: 'IIUUUUIU',
    passkey: 'FFUUUUFU',
  },
  {
    what: 'ask for another address, export, begin to add a passkey',
    tries: ['startPasskeyRegistration', 'requestEmailChange', 'exportAccount'],
    nothing: 'PPRRR--U',
    app: 'FFUUUUFU',
    passkey: 'FFUUUUFU',
  },
  {
    what: 'add a passkey',
    tries: ['finishPasskeyRegistration'],
    nothing: 'IIRRR--U',
    app: 'IIUUUUIU',
    passkey: 'IIUUUUIU',
    back: 'administrator',
  },
  {
    what: 'rename a passkey',
    tries: ['renamePasskey'],
    nothing: 'NNNNN--U',
    app: 'NNUUUUNU',
    passkey: 'RRUUUURU',
  },
  {
    what: 'remove a passkey',
    tries: ['removePasskey'],
    nothing: 'PPNNN--U',
    app: 'FFUUUUNU',
    passkey: 'FFUUUURU',
  },
  {
    what: 'give the account another address',
    tries: ['confirmEmailChange', '/confirm-email-change'],
    nothing: 'BBRRR--B',
    app: 'BBBBBBBB',
    passkey: 'BBBBBBBB',
    back: 'undo by mail',
  },
  {
    what: 'delete the account',
    tries: ['deleteAccount'],
    nothing: 'PPRRR--U',
    app: 'FFUUUUFU',
    passkey: 'FFUUUUFU',
    back: 'none',
  },
  {
    what: 'page: finish a sign-in that waits for a factor',
    tries: ['/second-factor'],
    nothing: 'UUUUU--U',
    app: 'UUIIIUUU',
    passkey: 'UUIIIUUU',
  },
  {
    what: 'page: prove the password, change it',
    tries: ['/confirm-password', '/account/password'],
    nothing: 'IURRR--U',
    app: 'IUUUUURU',
    passkey: 'IUUUUURU',
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
    nothing: 'RURRR--U',
    app: 'RUUUUURU',
    passkey: 'RUUUUURU',
  },
  {
    what: 'page: ask for another address, export, begin to add a passkey',
    tries: ['/account/email', '/account/export', '/account/passkeys/start'],
    nothing: 'PURRR--U',
    app: 'FUUUUUFU',
    passkey: 'FUUUUUFU',
  },
  {
    what: 'page: delete the account',
    tries: ['/account/delete'],
    nothing: 'PURRR--U',
    app: 'FUUUUUFU',
    passkey: 'FUUUUUFU',
    back: 'none',
  },
  {
    what: 'page: begin to set up an app, or another one',
    tries: ['/account/totp/start'],
    nothing: 'PURRR--U',
    app: 'FUUUUURU',
    passkey: 'FUUUUURU',
  },
  {
    what: 'page: put that app in force',
    tries: ['/account/totp/confirm'],
    nothing: 'IURRR--U',
    app: 'IUUUUURU',
    passkey: 'IUUUUURU',
    back: 'administrator',
  },
  {
    what: 'page: turn the app off',
    tries: ['/account/totp/remove'],
    nothing: 'IUIII--U',
    app: 'IUUUUUIU',
    passkey: 'IUUUUUIU',
  },
  {
    what: 'page: replace the recovery codes',
    tries: ['/account/recovery-codes'],
    nothing: 'NUNNN--U',
    app: 'IUUUUUIU',
    passkey: 'FUUUUUFU',
  },
  {
    what: 'page: add a passkey',
    tries: ['/account/passkeys/add'],
    nothing: 'BURRR--U',
    app: 'BUUUUUBU',
    passkey: 'BUUUUUBU',
    back: 'administrator',
  },
  {
    what: 'page: rename a passkey',
    tries: ['/account/passkeys/rename'],
    nothing: 'BUBBB--U',
    app: 'BUUUUUBU',
    passkey: 'RUUUUURU',
  },
  {
    what: 'page: remove a passkey',
    tries: ['/account/passkeys/remove'],
    nothing: 'PUBBB--U',
    app: 'FUUUUUBU',
    passkey: 'FUUUUURU',
  },
  {
    what: 'page: ask for a fresh proof',
    tries: ['/step-up'],
    nothing: 'PUPPP--U',
    app: 'FUUUUUFU',
    passkey: 'FUUUUUFU',
  },
]
