import type { TextsOf } from './texts-of.ts'

/** English texts of the pages to change, export or delete an account. */
export const englishLifeTexts: TextsOf<
  | 'proof'
  | 'change-name'
  | 'change-email'
  | 'email-asked'
  | 'change-password'
  | 'password-changed'
  | 'export'
  | 'deletion'
  | 'deleted'
> = {
  'proof.why': 'Before you continue, confirm it’s you. We won’t ask again for five minutes.',
  'proof.submit': 'Confirm it’s you',

  'change-name.name': 'Name',
  'change-name.submit': 'Save name',

  'change-email.now': 'Your email is {email}. It changes once you confirm the new one by email.',
  'change-email.new': 'New email',
  'change-email.submit': 'Change email',
  'change-email.same': 'This is already your email.',

  'email-asked.title': 'Check both inboxes',
  'email-asked.text':
    'We sent an email to your current address and another to your new address. Follow the instructions in both. Your email won’t change until you confirm.',

  'change-password.current': 'Current password',
  'change-password.new': 'New password',
  'change-password.submit': 'Change password',
  'change-password.wrong': 'Your current password is incorrect.',
  'change-password.incomplete': 'Enter your current password and a new password.',
  'change-password.forgotten': 'Forgot your password, or never set one?',

  'password-changed.title': 'Password changed',
  'password-changed.text': 'All other devices were signed out. You’re still signed in here.',

  'export.text':
    'Get a copy of the data we store about your account, including your name, email, devices and second factors, as a JSON file.',
  'export.submit': 'Download data',

  'deletion.text':
    'Your account and everything in it will be permanently deleted, and all your devices will be signed out. You can’t undo this.',
  'deletion.confirm': 'To confirm, enter your email, {email}:',
  'deletion.email': 'Your email',
  'deletion.submit': 'Delete account',
  'deletion.wrong': 'That isn’t this account’s email.',

  'deleted.title': 'Account deleted',
  'deleted.text': 'We also sent you an email about this. You can close this page.',
}
