import type { TextsOf } from './page-texts.ts'

/** The words of the page of what is signed in to an account. */
export const englishDeviceTexts: TextsOf<'devices'> = {
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
}
