import type { TextsOf } from './texts-of.ts'

/** English texts of the pages to sign in and to confirm a second factor or password. */
export const englishSignInTexts: TextsOf<
  'sign-in' | 'sign-in-code' | 'second-factor' | 'confirm-password' | 'step-up' | 'passkey'
> = {
  'sign-in.title': 'Sign in',
  'sign-in.submit': 'Sign in',
  'sign-in.wrong': 'Incorrect email or password.',
  'sign-in.incomplete': 'Enter your email and password.',
  'sign-in.passkey': 'That passkey wasn’t accepted. Try again or sign in another way.',
  'sign-in.client': 'Sign in to continue to {client}.',
  'sign-in.again': 'Sign in again to continue to {client}.',
  'sign-in.forgotten': 'Forgot your password?',
  'sign-in.sign-up': 'Create an account',
  'sign-in.by-code': 'Email me a code',

  'sign-in-code.title': 'Sign in with a code',
  'sign-in-code.why': 'We’ll email you a code to sign in. It only works in this browser.',
  'sign-in-code.no-address': 'Enter your email.',
  'sign-in-code.ask': 'Send code',
  'sign-in-code.back': 'Sign in another way',
  'sign-in-code.sent':
    'If there’s an account for that email, we’ve sent you a code. It may take a minute to arrive. If you don’t see it, check your spam folder.',
  'sign-in-code.code': 'Code',
  'sign-in-code.wrong': 'That code is incorrect or no longer valid. Check the code or get a new one.',
  'sign-in-code.incomplete': 'Enter the code from the email.',
  'sign-in-code.again': 'Get a new code',

  'second-factor.title': 'Confirm it’s you',
  'second-factor.why': 'Your password is correct. Now confirm with your second factor.',
  'second-factor.next': 'Now confirm with your second factor.',
  'second-factor.again': 'To continue, confirm with your second factor.',
  'second-factor.code': 'Code from your authenticator app',
  'second-factor.recovery-code': 'Recovery code',
  'second-factor.hint': 'Can’t use the app? Enter a recovery code instead.',
  'second-factor.remember': 'Don’t ask again on this device for {days} days',
  'second-factor.submit': 'Continue',
  'second-factor.wrong': 'That code is incorrect, already used or expired.',
  'second-factor.incomplete': 'Enter a code.',
  'second-factor.passkey': 'That passkey wasn’t accepted. Try again or use another second factor.',
  'second-factor.restart': 'Start over',
  'second-factor.back': 'Back to your account',
  'second-factor.client': 'Then you’ll continue to {client}.',

  'confirm-password.title': 'Confirm it’s you',
  'confirm-password.why': 'To continue, enter your password.',
  'confirm-password.submit': 'Continue',
  'confirm-password.wrong': 'Incorrect password.',
  'confirm-password.incomplete': 'Enter your password.',

  'step-up.client': '{client} wants you to confirm with your second factor.',
  'step-up.submit': 'Use second factor',
  'step-up.none':
    'You don’t have a second factor you can use. Set one up and return to this page, or continue without one.',
  'step-up.set-up': 'Set up a second factor',
  'step-up.skip': 'Continue without a second factor',

  'passkey.use': 'Use a passkey',
  'passkey.failed': 'Your passkey couldn’t be used. Try again or choose another way.',
  'passkey.elsewhere': 'To use passkeys, go to {address}.',
}
