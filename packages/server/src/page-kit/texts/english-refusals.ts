import type { TextsOf } from './texts-of.ts'

/** English texts for refusals and failures. GraphQL errors for refused input use the same messages. */
export const englishRefusalTexts: TextsOf<'failure' | 'refusal' | 'password'> = {
  'failure.forged.title': 'Request blocked',
  'failure.forged.text': 'This form was sent from another site. Open the page on this site and try again.',
  'failure.refused.title': 'You can’t do this',
  'failure.refused.text':
    'You don’t have permission, or this page is out of date. Go back, reload the page and try again.',
  'failure.too-many.title': 'Too many attempts',
  'failure.too-many.text': 'Try again later.',
  'failure.unavailable.title': 'Temporarily unavailable',
  'failure.unavailable.text': 'Try again in a moment.',
  'failure.unexpected.title': 'Something went wrong',
  'failure.unexpected.text': 'The problem is on our side. Try again later.',

  'refusal.EMAIL_INVALID': 'Enter a valid email.',
  'refusal.NAME_INVALID': 'Enter a name of 1 to 100 characters.',
  'refusal.PASSWORD_REJECTED': 'This password is not allowed. Choose another.',
  'refusal.EMAIL_UNVERIFIED': 'The provider has not verified your email.',
  'refusal.EMAIL_IN_USE': 'An account with this email already exists. Sign in to it, then link the provider.',
  'refusal.PROVIDER_IN_USE': 'This provider account is already linked to an account.',
  'refusal.SIGN_UP_CLOSED': 'Sign-up is closed. Contact an administrator to get an account.',
  'refusal.DELIVERY_NOT_ALLOWED': 'This delivery method is not allowed.',
  'refusal.FACTOR_UNAVAILABLE': 'This kind of factor is not available.',
  'refusal.OPERATION_UNAVAILABLE': 'This operation is not available.',
  'refusal.CANNOT_CHANGE_OWN_ACCOUNT': 'You cannot close the account you are signed in to.',
  'refusal.LAST_ADMINISTRATOR': 'At least one administrator must remain.',
  'refusal.LAST_SIGN_IN_METHOD': 'This is your only way to sign in. Set a password or add another passkey first.',
  'refusal.REASON_INVALID': 'Enter a reason of 1 to 500 characters.',
  'refusal.IMPERSONATION_NOT_ALLOWED': 'You are not allowed to act as this account.',
  'refusal.NOT_WHILE_IMPERSONATING': 'Only the owner of the account can do this.',
  'refusal.API_KEY_REJECTED':
    'Enter a name of 1 to 64 characters and choose at least one permission that your account has. You can have 25 keys.',
  'refusal.ATTEMPTS_RATE_LIMITED': 'Too many attempts. Try again later.',

  'password.malformed': 'This password contains characters that are not allowed.',
  'password.too-long': 'This password is too long.',
  'password.too-short': 'This password is too short. Use a longer password.',
  'password.shorter-than': 'This password is too short. Use at least {characters} characters.',
  'password.common': 'This password is too common. Choose another.',
  'password.predictable': 'This password is too easy to guess. Choose another.',
  'password.context': 'This password is too similar to your name or email. Choose another.',
  'password.breached': 'This password appeared in a data breach. Choose another.',
  'password.unavailable': 'This password cannot be checked right now. Try again later.',
}
