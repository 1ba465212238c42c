import type { TextsOf } from './page-texts.ts'

/** The words of the pages on which an account is opened. */
export const englishSignUpTexts: TextsOf<'sign-up' | 'signed-up'> = {
  'sign-up.title': 'Create an account',
  'sign-up.name': 'Name',
  'sign-up.password': 'Password',
  'sign-up.submit': 'Create the account',
  'sign-up.incomplete': 'Enter your name, your e-mail and a password.',
  'sign-up.sign-in': 'Sign in to an account that you have',

  'signed-up.again': 'Nothing came? Sign up once more',
  'signed-up.title': 'Look into your mailbox',
  'signed-up.text':
    'A mail is on its way. Follow its link in this browser to confirm your address: then you can sign in. If you have an account already, the mail says so.',
}
