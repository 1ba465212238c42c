import type { AccountsError, AccountsErrorCode } from '@latchkey/accounts'
import type { PasswordRefusal } from '@latchkey/password'

const sentences: Readonly<Record<AccountsErrorCode, string>> = {
  EMAIL_INVALID: 'This is not an e-mail address.',
  NAME_INVALID: 'A name has 1 to 100 characters.',
  PASSWORD_REFUSED: 'This password is not allowed.',
  SIGN_UP_CLOSED: 'Accounts are made by the administrators.',
  DELIVERY_REFUSED: 'This delivery is not allowed here.',
  FACTOR_UNAVAILABLE: 'This kind of factor is not offered here.',
}

const passwordSentences: Readonly<Record<PasswordRefusal, string>> = {
  malformed: 'This password has characters that no password can have.',
  'too-long': 'This password is too long.',
  'too-short': 'This password is too short: a few words in a row make a good one.',
  common: 'This password is one that many people use.',
  predictable: 'This password is a pattern that is easy to guess.',
  context: 'This password is little more than the name or the address of the account.',
  breached: 'This password is known from a data breach.',
  unavailable: 'This password cannot be checked at the moment: try again later.',
}

/** Explains to users why their input was refused, and what would be accepted. It repeats nothing of the input. */
export function explainRefusal({ code, reason, minimumCharacters }: AccountsError): string {
  if (reason === 'too-short' && minimumCharacters !== null) {
    return `This password is too short: it takes at least ${minimumCharacters} characters, and a few words in a row make a good one.`
  }
  return reason === null ? sentences[code] : passwordSentences[reason]
}
