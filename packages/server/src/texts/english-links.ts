import type { TextsOf } from './page-texts.ts'

/** The words of the pages that links in mails lead to, and of the one that asks for such a mail. */
export const englishLinkTexts: TextsOf<
  | 'verify'
  | 'verified'
  | 'ask-reset'
  | 'reset-asked'
  | 'reset'
  | 'reset-done'
  | 'confirm-email'
  | 'email-confirmed'
  | 'half-confirmed'
  | 'undo-email'
  | 'email-undone'
  | 'dead-link'
> = {
  'verify.title': 'Confirm your address',
  'verify.whose': 'The account of {name} is opened for {email}. If you did not ask for it, close this page.',
  'verify.password': 'Your password, if you signed up in another browser',
  'verify.password-hint':
    'It is the one that you chose when you signed up. Leave it empty if you have not chosen one: another mail lets you do that.',
  'verify.submit': 'Confirm this address',

  'verified.title': 'Your address is confirmed',
  'verified.with-password': 'You can sign in now.',
  'verified.without-password':
    'Your account has no password yet. Another mail has a link to choose one: then you can sign in.',
  'verified.sign-in': 'Sign in',

  'ask-reset.title': 'Ask for a new password',
  'ask-reset.why': 'Enter the e-mail of your account: a mail with a link lets you choose a new password.',
  'ask-reset.submit': 'Send the mail',
  'ask-reset.sign-in': 'Sign in with a password that you have',
  'ask-reset.incomplete': 'Enter your e-mail.',

  'reset-asked.title': 'Look into your mailbox',
  'reset-asked.text':
    'If there is an account with this address, a mail with a link is on its way. It may take a few minutes.',
  'reset-asked.again': 'Nothing came? Ask once more',

  'reset.title': 'Choose a new password',
  'reset.password': 'New password',
  'reset.submit': 'Change the password',

  'reset-done.title': 'Your password is changed',
  'reset-done.text': 'All devices were signed out. You can sign in with the new password now.',
  'reset-done.sign-in': 'Sign in',

  'confirm-email.title': 'Confirm the change of your address',
  'confirm-email.what': 'Your account gets the address {email}. If you did not ask for that, close this page.',
  'confirm-email.both': 'It changes when both addresses have confirmed it.',
  'confirm-email.submit': 'Confirm the change',

  'email-confirmed.title': 'Your address is changed',
  'email-confirmed.text':
    'Your account has the address {email} now. The device that asked for the change stays signed in, and all others were signed out.',
  'email-confirmed.sign-in': 'Sign in',

  'half-confirmed.title': 'One of two has confirmed',
  'half-confirmed.text':
    'The address changes when the other mailbox has confirmed it, too: it has a mail with a link of its own.',

  'undo-email.title': 'Undo the change of your address',
  'undo-email.what': 'Your account goes back to the address {email}.',
  'undo-email.then':
    'All devices are signed out, second factors that were added since the change are removed, clients of others lose their access, and the password no longer works: a mail to that address lets you choose a new one.',
  'undo-email.submit': 'Undo the change',

  'email-undone.title': 'The change is undone',
  'email-undone.text':
    'Your account has the address {email} again. All devices were signed out, and the password no longer works. A mail to that address has a link to choose a new one. Second factors from before the change still count: look at them once you are signed in.',

  'dead-link.title': 'This link no longer works',
  'dead-link.text': 'It was used before, its time is over, or a part of it is missing.',
  'dead-link.confirmed': 'Sign in, if your address is confirmed already',
  'dead-link.sign-up': 'Sign up again for a new mail',
  'dead-link.email': 'Sign in and change your address again',
  'dead-link.undone': 'Ask for a new password, if the change is undone already',
  'dead-link.reset': 'Ask for a new password',
}
