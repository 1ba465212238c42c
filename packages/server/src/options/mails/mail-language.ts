import type { AccountsOptions } from '@latchkey/accounts'
import { chooseLanguage } from '../../page-kit/texts/choose-language.ts'

/** Returns the language of mails for a browser; `null`: there is no choice. */
export type MailLanguage = (acceptLanguage: string | null) => string | null

/** Languages without words of a mail have it in English, which so is a choice everywhere. */
export function createMailLanguage({
  language = 'en',
  texts = {},
}: Pick<AccountsOptions['mails'], 'language' | 'texts'>): MailLanguage {
  const others = new Set([...Object.keys(texts), 'en'])
  others.delete(language)
  return others.size === 0 ? () => null : (acceptLanguage) => chooseLanguage(acceptLanguage, [language, ...others])
}
