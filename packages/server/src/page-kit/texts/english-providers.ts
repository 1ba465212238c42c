import type { TextsOf } from './texts-of.ts'

/** English texts for sign-in with providers and linked accounts. */
export const englishProviderTexts: TextsOf<'provider'> = {
  'provider.sign-in': 'Sign in with {provider}',
  'provider.sign-up': 'Sign up with {provider}',
  'provider.confirm': 'Continue with {provider}',
  'provider.link': 'Link {provider}',
  'provider.confirm-why': 'To continue, sign in again with a linked account.',
  'provider.leaving': 'One moment…',
  'provider.go-on': 'Continue to {provider}',
  'provider.continue': 'Continue',

  'provider.refused': 'We couldn’t complete this sign-in',
  'provider.denied': 'You didn’t sign in with {provider}, or you didn’t allow access there.',
  'provider.lost':
    'This sign-in with {provider} has expired, was already used or was started in another browser. Try again.',
  'provider.invalid': 'We received an invalid response from {provider}. Try again.',
  'provider.unavailable': '{provider} isn’t available right now. Try again in a moment.',
  'provider.unlinked':
    'Your {provider} account isn’t linked to an account here. Sign in another way, then link it in your account settings.',
  'provider.not-linked':
    'We couldn’t link your account because your sign-in here changed or it took too long. Try again.',
  'provider.not-confirmed':
    'We couldn’t confirm it’s you. That {provider} account isn’t linked to your account, or {provider} didn’t confirm that you just signed in.',
  'provider.other-way': 'Sign in another way',
  'provider.set-password': 'Set a password by email',
  'provider.code': 'Error code: {code}',

  'provider.why': 'Link an account from another service, and use it to sign in here.',
  'provider.none': 'You don’t have any linked accounts yet.',
  'provider.since': 'linked on {date}',
  'provider.unlink': 'Unlink',
  'provider.gone': 'This account is no longer linked.',
  'provider.add': 'Link an account',
}
