/** What the pages say in English. A word in braces, such as `{name}`, stands for what the page puts in its place. */
export const english = {
  'field.email': 'E-mail',
  'field.password': 'Password',

  'sign-in.title': 'Sign in',
  'sign-in.submit': 'Sign in',
  'sign-in.wrong': 'The e-mail or the password is not right.',
  'sign-in.incomplete': 'Enter your e-mail and your password.',

  'account.title': 'Your account',
  'account.signed-in-as': 'You are signed in as {name}, {email}.',
  'account.sign-out': 'Sign out',

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

  'reset.title': 'Choose a new password',
  'reset.password': 'New password',
  'reset.submit': 'Change the password',
  'reset-done.title': 'Your password is changed',
  'reset-done.text': 'All devices were signed out. You can sign in with the new password now.',
  'reset-done.sign-in': 'Sign in',

  'dead-link.title': 'This link no longer works',
  'dead-link.text': 'It was used before, its time is over, or a part of it is missing. Ask for a new one.',

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
  'refusal.SIGN_UP_CLOSED': 'Accounts are made by the administrators.',
  'refusal.DELIVERY_REFUSED': 'This delivery is not allowed here.',
  'refusal.FACTOR_UNAVAILABLE': 'This kind of factor is not offered here.',
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
} as const
