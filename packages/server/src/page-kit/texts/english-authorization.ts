import type { TextsOf } from './texts-of.ts'

/** English texts of the pages for OAuth clients: consent, device codes and logout. */
export const englishAuthorizationTexts: TextsOf<
  | 'client'
  | 'consent'
  | 'scope'
  | 'request-over'
  | 'request-error'
  | 'device'
  | 'device-consent'
  | 'device-allowed'
  | 'device-denied'
  | 'device-over'
  | 'log-out'
  | 'logged-out'
> = {
  'client.unregistered': 'This app is not registered here. Its name is chosen by {host}.',
  'client.answered-here':
    'The response goes to your computer, where any program could receive it. Continue only if you started this yourself.',

  'consent.title': 'Allow access?',
  'consent.who': '{client} wants to access your account. You’re signed in as {name} ({email}).',
  'consent.scopes': 'This will allow it to:',
  'consent.new-scopes': 'This will also allow it to:',
  'consent.known-scopes': 'It can already:',
  'consent.target': 'You’ll be redirected to {target}.',
  'consent.allow': 'Allow',
  'consent.deny': 'Don’t allow',
  'consent.other-account': 'Use another account',
  'consent.undecided': 'Choose whether to allow access.',
  'consent.changed': 'You signed in again after this page was opened. Review the request before you continue.',

  'scope.openid': 'Recognize your account',
  'scope.profile': 'See your name',
  'scope.email': 'See your email address',
  'scope.offline_access': 'Stay connected while you’re away, until you remove its access',
  'scope.online_access': 'Stay connected until you sign out',

  'request-over.title': 'This request is no longer valid',
  'request-over.text':
    'It was already answered, has expired or was started in another browser. Go back to the app and try again.',

  'request-error.title': 'We couldn’t process this request',
  'request-error.text':
    'No changes were made. Go back to the app and try again. If that doesn’t help, send this error to its developers:',

  'device.title': 'Connect a device',
  'device.why': 'Enter the code shown on your device.',
  'device.code': 'Code',
  'device.submit': 'Continue',
  'device.wrong': 'That code is incorrect, already used or expired. Check the code on your device.',
  'device.incomplete': 'Enter a valid code. Codes contain only letters.',

  'device-consent.title': 'Allow this device?',
  'device-consent.why':
    'Only allow this if you started it yourself and your device is showing the code {code}. If someone sent you this code, don’t allow it.',

  'device-allowed.title': 'Your device is connected',
  'device-allowed.text': 'Continue on your device. You can close this page.',

  'device-denied.title': 'Device not connected',
  'device-denied.text': 'You didn’t allow access. You can close this page.',

  'device-over.title': 'This request is no longer valid',
  'device-over.text': 'It was already answered or has expired. Check your device for the result.',

  'log-out.title': 'Sign out?',
  'log-out.client': '{client} wants to sign you out here, too.',
  'log-out.why': 'An app wants to sign you out here, too.',
  'log-out.stay': 'Stay signed in',

  'logged-out.title': 'You’re signed out',
  'logged-out.text': 'You can close this page.',
  'logged-out.sign-in': 'Sign in',
}
