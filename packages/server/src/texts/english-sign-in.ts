import type { TextsOf } from './page-texts.ts'

/** The words of the pages that ask who is there. */
export const englishSignInTexts: TextsOf<
  'sign-in' | 'sign-in-code' | 'second-factor' | 'confirm-password' | 'step-up' | 'passkey'
> = {
  'sign-in.title': 'Sign in',
  'sign-in.submit': 'Sign in',
  'sign-in.wrong': 'The e-mail or the password is not right.',
  'sign-in.incomplete': 'Enter your e-mail and your password.',
  'sign-in.passkey': 'The passkey was not accepted.',
  'sign-in.client': '{client} asks you to sign in.',
  'sign-in.again': '{client} asks you to sign in again.',
  'sign-in.forgotten': 'Forgot your password?',
  'sign-in.sign-up': 'Create an account',
  'sign-in.by-code': 'E-mail me a code',

  'sign-in-code.title': 'Sign in by a code',
  'sign-in-code.why':
    'Enter the e-mail of your account. You get a mail with a code, which works in this browser and nowhere else.',
  'sign-in-code.no-address': 'Enter your e-mail.',
  'sign-in-code.ask': 'E-mail me a code',
  'sign-in-code.back': 'Sign in in another way',
  'sign-in-code.sent':
    'If there is an account with this e-mail, a mail with a code is on its way. It may take a minute, so look into the spam as well.',
  'sign-in-code.code': 'Code',
  'sign-in-code.wrong': 'The code is not right, or it no longer works.',
  'sign-in-code.incomplete': 'Enter the code of the mail.',
  'sign-in-code.again': 'Ask for another code',

  'second-factor.title': 'Confirm that it is you',
  'second-factor.why': 'So far it is right. Your account asks for a second factor, too.',
  'second-factor.again': 'What you are about to do asks for your second factor once more.',
  'second-factor.code': 'Code of your authenticator app',
  'second-factor.recovery-code': 'Recovery code',
  'second-factor.hint': 'Without the app, enter one of your recovery codes.',
  'second-factor.remember': 'Do not ask for it on this device for {days} days',
  'second-factor.submit': 'Continue',
  'second-factor.wrong': 'The code is not right, was used before, or its time is over.',
  'second-factor.incomplete': 'Enter a code.',
  'second-factor.passkey': 'The passkey was not accepted.',
  'second-factor.restart': 'Start again',
  'second-factor.back': 'Back to your account',
  'second-factor.client': 'Then you go on to {client}.',

  'confirm-password.title': 'Confirm that it is you',
  'confirm-password.why': 'What you are about to do asks for your password once more.',
  'confirm-password.submit': 'Continue',
  'confirm-password.wrong': 'The password is not right.',
  'confirm-password.incomplete': 'Enter your password.',

  'step-up.client': '{client} asks for your second factor.',
  'step-up.submit': 'Use my second factor',
  'step-up.none':
    'Your account has none that can be used. You can set one up now and come back to this page, or go on without it.',
  'step-up.set-up': 'Set up a second factor',
  'step-up.skip': 'Go on without it',

  'passkey.use': 'Use a passkey',
  'passkey.failed': 'The passkey could not be used. Try again, or choose another way.',
  'passkey.elsewhere': 'Passkeys work at {address}.',
}
