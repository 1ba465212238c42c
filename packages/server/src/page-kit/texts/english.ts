import { englishAccountTexts } from './english-account.ts'
import { englishAuthorizationTexts } from './english-authorization.ts'
import { englishDeviceTexts } from './english-devices.ts'
import { englishLifeTexts } from './english-life.ts'
import { englishLinkTexts } from './english-links.ts'
import { englishProviderTexts } from './english-providers.ts'
import { englishRefusalTexts } from './english-refusals.ts'
import { englishSignInTexts } from './english-sign-in.ts'
import { englishSignUpTexts } from './english-sign-up.ts'
import type { PageTexts } from './page-texts.ts'

/**
 * English texts of all pages. A translation starts with a copy of them.
 *
 * @example
 * import { createServer, englishPageTexts, type PageTexts, type ServerOptions } from '@latchkey/server'
 * const german: PageTexts = { ...englishPageTexts, 'sign-in.title': 'Anmelden', 'field.password': 'Passwort' }
 * export const pages: ServerOptions<never>['pages'] = { language: 'de', translations: { de: german } }
 */
export const englishPageTexts: PageTexts = Object.freeze({
  'field.email': 'Email',
  'field.password': 'Password',
  'field.new-password-hint': 'A few unrelated words work well.',
  'field.new-password-rule': 'At least {characters} characters. A few unrelated words work well.',
  ...englishSignInTexts,
  ...englishSignUpTexts,
  ...englishLinkTexts,
  ...englishLifeTexts,
  ...englishAccountTexts,
  ...englishProviderTexts,
  ...englishDeviceTexts,
  ...englishAuthorizationTexts,
  ...englishRefusalTexts,
})
