import type { TextsOf } from './texts-of.ts'

/** English texts of the page that lists devices. */
export const englishDeviceTexts: TextsOf<'devices'> = {
  'devices.title': 'Your devices',
  'devices.why': 'Devices signed in to your account. If you don’t recognize one, sign it out and change your password.',
  'devices.this': 'this device',
  'devices.unknown': 'Unknown device',
  'devices.browser': '{browser} on {system}',
  'devices.application': 'App: {client}',
  'devices.support': 'Support, acting as you',
  'devices.facts': 'Last used on {last}. Signed in on {since}',
  'devices.address': 'from {address}',
  'devices.end': 'Sign out',
  'devices.alone': 'No other devices are signed in.',
  'devices.end-others': 'Sign out all other devices',
}
