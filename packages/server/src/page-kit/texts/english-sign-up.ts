import type { TextsOf } from './texts-of.ts'

/** English texts of the sign-up pages. */
export const englishSignUpTexts: TextsOf<'sign-up' | 'signed-up'> = {
  'sign-up.title': 'Create an account',
  'sign-up.name': 'Name',
  'sign-up.password': 'Password',
  'sign-up.submit': 'Create account',
  'sign-up.incomplete': 'Enter your name, email and password.',
  'sign-up.sign-in': 'Already have an account? Sign in',

  'signed-up.again': 'Didn’t get an email? Sign up again',
  'signed-up.title': 'Check your email',
  'signed-up.text':
    'We sent you an email. Open the link in this browser to confirm your address, then sign in. If you already have an account, the email will tell you.',
}
