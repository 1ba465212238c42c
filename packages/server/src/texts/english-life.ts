import type { TextsOf } from './page-texts.ts'

/** The words of the pages on which users change their account itself, or end it. */
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
  'proof.why': 'For this you confirm once more that it is you. That counts for five minutes.',
  'proof.submit': 'Confirm that it is you',

  'change-name.name': 'Name',
  'change-name.submit': 'Save',

  'change-email.now': 'Your address is {email}.',
  'change-email.new': 'New e-mail',
  'change-email.submit': 'Change the address',
  'change-email.same': 'This is your address already.',

  'email-asked.title': 'Look into both mailboxes',
  'email-asked.text':
    'Two mails are on their way, to your address and to the new one. They say what to do: until then nothing changes.',

  'change-password.current': 'Current password',
  'change-password.new': 'New password',
  'change-password.submit': 'Change the password',
  'change-password.wrong': 'The current password is not right.',
  'change-password.incomplete': 'Enter both passwords.',
  'change-password.forgotten': 'You have none, or forgot it?',

  'password-changed.title': 'Your password is changed',
  'password-changed.text': 'All other devices were signed out. This one stays signed in.',

  'export.text':
    'A file in JSON with what is stored of your account: your name and address, your devices and second factors, and more.',
  'export.submit': 'Download',

  'deletion.text':
    'Your account is deleted for ever, with all that belongs to it: nothing brings it back. All devices are signed out.',
  'deletion.confirm': 'If that is what you want, type your e-mail, {email}:',
  'deletion.email': 'E-mail of this account',
  'deletion.submit': 'Delete the account',
  'deletion.wrong': 'This is not the e-mail of this account.',

  'deleted.title': 'Your account is deleted',
  'deleted.text': 'A mail says so, too. You can close this page.',
}
