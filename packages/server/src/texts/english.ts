import type { PageTexts } from './page-texts.ts'

/**
 * What the pages say in English: where a translation begins.
 *
 * @example
 * import { createServer, englishPageTexts, type PageTexts, type ServiceOptions } from '@latchkey/server'
 * const german: PageTexts = { ...englishPageTexts, 'sign-in.title': 'Anmelden', 'field.password': 'Passwort' }
 * export const pages: ServiceOptions<never>['pages'] = { language: 'de', translations: { de: german } }
 */
export const englishPageTexts: PageTexts = Object.freeze({
  'field.email': 'E-mail',
  'field.password': 'Password',
  'field.new-password-hint': 'A few words in a row make a good one.',

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

  'sign-up.title': 'Create an account',
  'sign-up.name': 'Name',
  'sign-up.password': 'New password',
  'sign-up.submit': 'Create the account',
  'sign-up.incomplete': 'Enter your name, your e-mail and a password.',
  'sign-up.sign-in': 'Sign in to an account that you have',
  'signed-up.again': 'Nothing came? Sign up once more',
  'signed-up.title': 'Look into your mailbox',
  'signed-up.text':
    'A mail is on its way. Follow its link in this browser to confirm your address: then you can sign in. If you have an account already, the mail says so.',

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

  'consent.title': 'Allow access?',
  'consent.who': '{client} asks for access to the account of {name}, {email}.',
  'consent.scopes': 'It will be able to:',
  'consent.new-scopes': 'It will now also be able to:',
  'consent.known-scopes': 'It can already:',
  'consent.target': 'After your answer you go on to {target}.',
  'consent.allow': 'Allow',
  'consent.deny': 'Do not allow',
  'consent.other-account': 'Use another account',
  'consent.undecided': 'Choose one of the two answers.',
  'consent.changed': 'You have signed in again since this page was opened. Look once more at what is asked.',

  'scope.openid': 'Recognize your account',
  'scope.profile': 'See your name',
  'scope.email': 'See your e-mail address',
  'scope.offline_access': 'Keep this access while you are away, until you remove it',

  'request-over.title': 'This request is over',
  'request-over.text':
    'It was answered, its time is over, or it began in another browser. Go back to the application and begin again.',
  'request-error.title': 'This request cannot be answered',
  'request-error.text':
    'Nothing was done. Go back to the application and begin again. If that does not help, this is for its developers:',

  'device.title': 'Connect a device',
  'device.why': 'Enter the code that your device shows.',
  'device.code': 'Code',
  'device.submit': 'Continue',
  'device.wrong': 'No device waits with this code: it was mistyped, used before, or its time is over.',
  'device.incomplete': 'Enter a code of letters.',

  'device-consent.title': 'Allow this device?',
  'device-consent.why':
    'Allow it only if you began this yourself and your device shows the code {code} now. If you were sent this code, do not allow it.',
  'device-allowed.title': 'Your device is connected',
  'device-allowed.text': 'Go on at your device. You can close this page.',
  'device-denied.title': 'The device has no access',
  'device-denied.text': 'Nothing was allowed. You can close this page.',
  'device-over.title': 'The device has its answer',
  'device-over.text': 'It was answered before, or its time is over. Look at your device: what it shows now counts.',

  'log-out.title': 'Sign out?',
  'log-out.client': '{client} asks you to sign out here, too.',
  'log-out.why': 'An application asks you to sign out here, too.',
  'log-out.stay': 'Stay signed in',
  'logged-out.title': 'You are signed out',
  'logged-out.text': 'You can close this page.',
  'logged-out.sign-in': 'Sign in',

  'passkey.use': 'Use a passkey',
  'passkey.failed': 'The passkey could not be used. Try again, or choose another way.',
  'passkey.elsewhere': 'Passkeys work at {address}.',

  'account.title': 'Your account',
  'account.signed-in-as': 'You are signed in as {name}, {email}.',
  'account.sign-out': 'Sign out',
  'account.factors': 'Second factors',
  'account.factors-why': 'With one of them your password alone opens nothing.',
  'account.enrollment-due': 'Your account needs a second factor from {date} on. Set one up before that.',
  'account.enrollment-overdue': 'Your account needs a second factor. Set one up here to go on.',
  'account.totp': 'Authenticator app',
  'account.passkeys': 'Passkeys',
  'account.recovery-codes': 'Recovery codes',
  'account.factor-since': 'set up on {date}',
  'account.factor-disabled': 'set up on {date}, and turned off after too many wrong codes',
  'account.factor-none': 'not set up',

  'impersonation.title': 'Another account',
  'impersonation.acting-as': 'You act as {name}, {email}.',
  'impersonation.why':
    'What you do is recorded under your own account. The password, the address, the second factors and the devices of this account are its owner\u2019s alone.',
  'impersonation.end': 'End this, and sign in again',
  'devices.title': 'Your devices',
  'devices.why':
    'All that is signed in to your account. If you do not know one of them, sign it out and change your password.',
  'devices.this': 'This device',
  'devices.unknown': 'Unknown device',
  'devices.browser': '{browser} on {system}',
  'devices.application': 'The application {client}',
  'devices.support': 'Support, acting as you',
  'devices.facts': 'Signed in on {since}, last used on {last}',
  'devices.address': 'from {address}',
  'devices.end': 'Sign out',
  'devices.alone': 'Nothing else is signed in.',
  'devices.end-others': 'Sign out everything else',
  'account.own': 'Your data',
  'account.name': 'Change your name',
  'account.email': 'Change your e-mail',
  'account.password': 'Change your password',
  'account.devices': 'Your devices',
  'account.export': 'Download your data',
  'account.deletion': 'Delete your account',

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

  'applications.title': 'Applications with access',
  'applications.why': 'You have allowed them to use your account. Each loses its access at once when you remove it.',
  'applications.since': 'since {date}',
  'applications.revoke': 'Remove',

  'totp.why': 'An app on your phone shows a code that changes every 30 seconds. You enter it after your password.',
  'totp.since': 'It was set up on {date}.',
  'totp.disabled': 'It was set up on {date}, and turned off after too many wrong codes: set it up anew.',
  'totp.start': 'Set up an app',
  'totp.replace': 'Set up another app',
  'totp.remove-title': 'Turn it off',
  'totp.remove': 'Turn off the app',
  'totp.title': 'Set up an authenticator app',
  'totp.scan': 'Scan this picture with your app:',
  'totp.qr': 'QR code with the key below',
  'totp.type': 'Or type this key:',
  'totp.secret': 'Key',
  'totp.open': 'Open the app on this device',
  'totp.confirm': 'Confirm',
  'totp.again': 'Enter the code that your app shows now.',
  'totp.restart': 'Begin anew',

  'codes.title': 'Your recovery codes',
  'codes.text':
    'Keep them where you find them without your phone. Each opens your account once in place of a second factor. They are not shown again.',
  'codes.label': 'Recovery codes',
  'codes.done': 'I have kept them',

  'recovery-codes.why': 'New codes replace all of the old ones.',
  'recovery-codes.submit': 'Show new codes',

  'passkeys.why': 'A passkey signs you in by your fingerprint, your face or the code of your device.',
  'passkeys.none': 'You have none.',
  'passkeys.since': 'since {date}',
  'passkeys.remove': 'Remove',
  'passkeys.add-title': 'Add a passkey',
  'passkeys.name': 'Name',
  'passkeys.name-hint': 'So that you know it again, such as the name of your phone.',
  'passkeys.add': 'Add',
  'passkeys.rename': 'Rename',
  'passkeys.new-name': 'New name',
  'passkeys.name-refused': 'A name has 1 to 64 characters.',
  'passkeys.gone': 'This passkey is not there any more.',
  'passkeys.refused': 'The passkey was not accepted. Try again.',
  'passkeys.create-title': 'Add a passkey',
  'passkeys.create-text': 'Your browser asks where the passkey is kept, and who you are.',
  'passkeys.create': 'Create the passkey',
  'passkeys.unknown': 'This browser knows no passkeys.',
  'passkeys.needs-script': 'Passkeys need scripts: allow them for this page.',
  'passkeys.cancel': 'Back',

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
  'refusal.OPERATION_UNAVAILABLE': 'This is not offered here.',
  'refusal.OWN_ACCOUNT': 'You cannot close the account that you are signed in to.',
  'refusal.LAST_ADMINISTRATOR': 'One administrator must be left.',
  'refusal.REASON_INVALID': 'A reason has 1 to 500 characters.',
  'refusal.IMPERSONATION_REFUSED': 'You may not act as this account.',
  'refusal.IMPERSONATED': 'This is for the owner of the account alone.',
  'refusal.ATTEMPTS_THROTTLED': 'Too many attempts: please wait and try again later.',
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
})
