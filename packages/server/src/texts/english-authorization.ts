import type { TextsOf } from './page-texts.ts'

/** The words of the pages on which users are asked on behalf of clients. */
export const englishAuthorizationTexts: TextsOf<
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
}
