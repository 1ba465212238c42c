import type { AccountsError } from '@latchkey/accounts'
import { englishPageTexts } from '../page-kit/texts/english.ts'
import type { PageTexts } from '../page-kit/texts/page-texts.ts'

/**
 * Explains to users why their input was refused, and which input is accepted. It does not repeat the input.
 *
 * @param texts @default English
 */
export function explainRefusal(
  { code, reason, minimumCharacters }: AccountsError,
  texts: PageTexts = englishPageTexts,
): string {
  if (reason === 'too-short' && minimumCharacters !== null) {
    return texts['password.shorter-than'].replace('{characters}', String(minimumCharacters))
  }
  return reason === null ? texts[`refusal.${code}`] : texts[`password.${reason}`]
}
