import type { TextsOf } from './texts-of.ts'

/** English texts of the account page and of the pages for apps with access and second factors. */
export const englishAccountTexts: TextsOf<
  'account' | 'impersonation' | 'applications' | 'keys' | 'totp' | 'codes' | 'recovery-codes' | 'passkeys'
> = {
  'account.title': 'Your account',
  'account.signed-in-as': 'You’re signed in as {name} ({email}).',
  'account.role': 'Role: {role}',
  'account.home': 'Back to the app',
  'account.sign-out': 'Sign out',
  'account.factors': 'Second factors',
  'account.factors-why':
    'With a second factor, like an authenticator app, your password alone is not enough to sign in.',
  'account.enrollment-due': 'Starting {date}, your account requires a second factor. Set one up before then.',
  'account.enrollment-overdue': 'Your account requires a second factor. Set one up to continue.',
  'account.totp': 'Authenticator app',
  'account.passkeys': 'Passkeys',
  'account.recovery-codes': 'Recovery codes',
  'account.factor-since': 'set up on {date}',
  'account.factor-disabled': 'set up on {date}, turned off after too many incorrect codes',
  'account.factor-none': 'not set up',

  'impersonation.title': 'Acting as another user',
  'impersonation.acting-as': 'You’re acting as {name} ({email}).',
  'impersonation.why':
    'Everything you do is recorded under your own account. Only the owner can manage the password, email, second factors and devices of this account.',
  'impersonation.end': 'Stop and sign in again',

  'account.own': 'Account settings',
  'account.name': 'Change name',
  'account.email': 'Change email',
  'account.password': 'Change password',
  'account.devices': 'Your devices',
  'account.providers': 'Linked accounts',
  'account.keys': 'API keys',
  'account.export': 'Download your data',
  'account.deletion': 'Delete account',

  'applications.title': 'Apps with access',
  'applications.why':
    'You’ve given these apps access to your account. When you remove an app, it loses access immediately.',
  'applications.unregistered': 'Not registered here: its name is chosen by {host}. It returns to {target}.',
  'applications.since': 'access since {date}',
  'applications.revoke': 'Remove access',

  'keys.title': 'Active API keys',
  'keys.why':
    'With an API key, a program can use your account: it can do only what you choose, and never more than you can. Changing your password revokes all keys.',
  'keys.facts': 'Expires on {expires}. Last used: {last}',
  'keys.unused': 'never',
  'keys.revoke': 'Revoke key',
  'keys.create-title': 'Create a key',
  'keys.name': 'Name',
  'keys.name-hint': 'The program that will use it, like “Nightly export”.',
  'keys.scopes': 'What it can do',
  'keys.lifetime': 'Expires after',
  'keys.days': '{days} days',
  'keys.create': 'Create key',
  'keys.created': 'Your new API key',
  'keys.once': 'Copy this key now and keep it secret, like a password. You won’t see it again.',
  'keys.label': 'API key',
  'keys.done': 'I’ve saved my key',

  'totp.why':
    'You’ll need an authenticator app on your phone. It shows a new code every 30 seconds, which you’ll enter after your password when you sign in.',
  'totp.since': 'Set up on {date}. If you set up a new app, it replaces this one.',
  'totp.disabled': 'Set up on {date}, turned off after too many incorrect codes. Set it up again to use it.',
  'totp.start': 'Set up app',
  'totp.replace': 'Set up a new app',
  'totp.remove-title': 'Turn off authenticator app',
  'totp.remove': 'Turn off app',
  'totp.title': 'Set up authenticator app',
  'totp.scan': 'Scan this QR code with your app:',
  'totp.qr': 'QR code of the setup key below',
  'totp.type': 'Or enter this setup key:',
  'totp.secret': 'Setup key',
  'totp.open': 'Open authenticator app on this device',
  'totp.confirm': 'Confirm code',
  'totp.again': 'Enter the code your app is showing now.',
  'totp.restart': 'Start over',

  'codes.title': 'Save your recovery codes',
  'codes.text':
    'Store these codes somewhere you can reach without your phone. Each code works once in place of your second factor. You won’t see them again.',
  'codes.label': 'Recovery codes',
  'codes.done': 'I’ve saved my codes',

  'recovery-codes.why':
    'If you can’t use your second factor, a recovery code works in its place. New codes replace all your old codes.',
  'recovery-codes.submit': 'Get new codes',

  'passkeys.why': 'A passkey lets you sign in with your fingerprint, face or screen lock.',
  'passkeys.none': 'You don’t have any passkeys yet.',
  'passkeys.since': 'added on {date}',
  'passkeys.remove': 'Remove',
  'passkeys.add-title': 'Add a passkey',
  'passkeys.name': 'Passkey name',
  'passkeys.name-hint': 'Choose a name you’ll recognize, like “My phone”.',
  'passkeys.add': 'Add passkey',
  'passkeys.rename': 'Rename',
  'passkeys.new-name': 'New name',
  'passkeys.name-refused': 'Enter a name of 1 to 64 characters.',
  'passkeys.gone': 'This passkey no longer exists.',
  'passkeys.refused': 'The passkey couldn’t be added. Try again.',
  'passkeys.create-title': 'Create your passkey',
  'passkeys.create-text': 'Your browser will ask where to save the passkey, then confirm it’s you.',
  'passkeys.create': 'Create passkey',
  'passkeys.unknown': 'This browser doesn’t support passkeys.',
  'passkeys.needs-script': 'Passkeys require JavaScript. Turn it on for this page.',
  'passkeys.cancel': 'Cancel',
}
