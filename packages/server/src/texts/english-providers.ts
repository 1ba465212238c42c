import type { TextsOf } from './page-texts.ts'

/** The words of the pages of providers. */
export const englishProviderTexts: TextsOf<'provider'> = {
  'provider.sign-in': 'Sign in with {provider}',
  'provider.sign-up': 'Sign up with {provider}',
  'provider.confirm': 'Continue with {provider}',
  'provider.link': 'Link {provider}',
  'provider.confirm-why':
    'What you are about to do asks you to sign in once more with an account that you have linked.',
  'provider.leaving': 'One moment',
  'provider.go-on': 'Go on to {provider}',
  'provider.continue': 'Continue',

  'provider.refused': 'The sign-in was not finished',
  'provider.denied': 'You have not signed in with {provider}, or have not agreed there.',
  'provider.lost':
    'This browser has no sign-in under way that the answer of {provider} belongs to: its time is over, or it was answered before.',
  'provider.invalid': 'The answer of {provider} cannot be used.',
  'provider.unavailable': '{provider} cannot be asked now. Please try again in a moment.',
  'provider.unlinked':
    'No account here is linked to your account of {provider}. Sign in in another way, and link it on the page of your account.',
  'provider.not-linked':
    'Nothing was linked: you are not signed in here as when you began, or it took too long. Please begin again.',
  'provider.not-confirmed':
    'This proves nothing: your account is not linked to that account of {provider}, or {provider} does not say that you have signed in just now.',
  'provider.other-way': 'Sign in in another way',
  'provider.set-password': 'Set a password by a mail',
  'provider.code': 'Code: {code}',

  'provider.why': 'You can sign in with an account that you have elsewhere.',
  'provider.none': 'You have linked none.',
  'provider.since': 'since {date}',
  'provider.unlink': 'Remove',
  'provider.gone': 'This link is not there any more.',
  'provider.add': 'Link one',
}
