import type { TextsOf } from './texts-of.ts'

/** English texts of the pages that email links open, and of the page that sends a password reset link. */
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
  'verify.title': 'Confirm your email',
  'verify.whose': 'Confirm to create the account “{name}” for {email}. If you didn’t sign up, close this page.',
  'verify.password': 'Password (optional)',
  'verify.password-hint':
    'If you signed up in another browser, enter the password you chose there. Otherwise, leave this empty, and we’ll email you a link to choose one.',
  'verify.submit': 'Confirm email',

  'verified.title': 'Email confirmed',
  'verified.with-password': 'Your account is ready. You can now sign in.',
  'verified.without-password':
    'Your account doesn’t have a password yet. We sent you another email with a link to choose one. Then you can sign in.',
  'verified.sign-in': 'Sign in',

  'ask-reset.title': 'Reset your password',
  'ask-reset.why': 'Enter your email, and we’ll send you a link to choose a new password.',
  'ask-reset.submit': 'Send link',
  'ask-reset.sign-in': 'Remember your password? Sign in',
  'ask-reset.incomplete': 'Enter your email.',

  'reset-asked.title': 'Check your email',
  'reset-asked.text':
    'If there’s an account for that email, we’ve sent you a link to choose a new password. It may take a few minutes to arrive. If you don’t see it, check your spam folder.',
  'reset-asked.again': 'Didn’t get an email? Try again',

  'reset.title': 'Choose a new password',
  'reset.password': 'New password',
  'reset.submit': 'Change password',

  'reset-done.title': 'Password changed',
  'reset-done.text': 'All devices were signed out. You can now sign in with your new password.',
  'reset-done.sign-in': 'Sign in',

  'confirm-email.title': 'Confirm email change',
  'confirm-email.what':
    'Confirm to change your account’s email to {email}. If you didn’t request this, close this page.',
  'confirm-email.both': 'Your email changes once both addresses have confirmed.',
  'confirm-email.submit': 'Confirm change',

  'email-confirmed.title': 'Email changed',
  'email-confirmed.text':
    'Your account’s email is now {email}. The device that requested the change stays signed in. All others were signed out.',
  'email-confirmed.sign-in': 'Sign in',

  'half-confirmed.title': 'One more confirmation needed',
  'half-confirmed.text':
    'We also sent a link to your other address. Your email changes once you open it there and confirm.',

  'undo-email.title': 'Undo email change',
  'undo-email.what': 'Your account’s email will change back to {email}.',
  'undo-email.then':
    'Your password will stop working, and we’ll send a link to that address to choose a new one. All devices will be signed out, and apps will lose access to your account. Second factors and linked accounts added since the change was requested will be removed.',
  'undo-email.submit': 'Undo email change',

  'email-undone.title': 'Email change undone',
  'email-undone.text':
    'Your account’s email is {email} again. We sent a link to that address to choose a new password, because the old one no longer works. All devices were signed out. Second factors added before the change was requested still work, so review them after you sign in.',

  'dead-link.title': 'This link no longer works',
  'dead-link.text': 'It was already used, has expired or is incomplete.',
  'dead-link.confirmed': 'Already confirmed your email? Sign in',
  'dead-link.sign-up': 'Sign up again to get a new link',
  'dead-link.email': 'Sign in to change your email again',
  'dead-link.undone': 'Already undid the change? Reset your password',
  'dead-link.reset': 'Get a new link',
}
