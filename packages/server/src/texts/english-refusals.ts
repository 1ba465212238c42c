import type { TextsOf } from './page-texts.ts'

/** What pages say where something is refused or fails. */
export const englishRefusalTexts: TextsOf<'failure' | 'refusal' | 'password'> = {
  'failure.forged.title': 'This came from another page',
  'failure.forged.text': 'The form was sent by a page of another site. Open the page here and try again.',
  'failure.refused.title': 'This cannot be done',
  'failure.refused.text': 'Your account may not do this, or the page is out of date.',
  'failure.too-many.title': 'Too many attempts',
  'failure.too-many.text': 'Please wait and try again later.',
  'failure.unavailable.title': 'Not available',
  'failure.unavailable.text': 'Please try again in a moment.',
  'failure.unexpected.title': 'Something went wrong',
  'failure.unexpected.text': 'It was our fault. Please try again later.',

  'refusal.EMAIL_INVALID': 'This is not an e-mail address.',
  'refusal.NAME_INVALID': 'A name has 1 to 100 characters.',
  'refusal.PASSWORD_REFUSED': 'This password is not allowed.',
  'refusal.EMAIL_UNVERIFIED': 'The provider has not verified your e-mail address.',
  'refusal.EMAIL_HELD': 'There is an account with this address. Sign in to it, and link it to the provider.',
  'refusal.PROVIDER_LINKED': 'This user of the provider is linked to an account already.',
  'refusal.SIGN_UP_CLOSED': 'Accounts are made by the administrators.',
  'refusal.DELIVERY_REFUSED': 'This delivery is not allowed here.',
  'refusal.FACTOR_UNAVAILABLE': 'This kind of factor is not offered here.',
  'refusal.OPERATION_UNAVAILABLE': 'This is not offered here.',
  'refusal.OWN_ACCOUNT': 'You cannot close the account that you are signed in to.',
  'refusal.LAST_ADMINISTRATOR': 'One administrator must be left.',
  'refusal.LAST_WAY_IN': 'This is your only way to sign in: set a password or add another passkey first.',
  'refusal.REASON_INVALID': 'A reason has 1 to 500 characters.',
  'refusal.IMPERSONATION_REFUSED': 'You may not act as this account.',
  'refusal.IMPERSONATED': 'This is for the owner of the account alone.',
  'refusal.ATTEMPTS_THROTTLED': 'Too many attempts: please wait and try again later.',

  'password.malformed': 'This password has characters that no password can have.',
  'password.too-long': 'This password is too long.',
  'password.too-short': 'This password is too short: a few words in a row make a good one.',
  'password.shorter-than':
    'This password is too short: it takes at least {characters} characters, and a few words in a row make a good one.',
  'password.common': 'This password is one that many people use.',
  'password.predictable': 'This password is a pattern that is easy to guess.',
  'password.context': 'This password is little more than the name or the address of the account.',
  'password.breached': 'This password is known from a data breach.',
  'password.unavailable': 'This password cannot be checked at the moment: try again later.',
}
