import type { AccountsError } from '@latchkey/accounts'
import { englishPageTexts } from '../page-kit/texts/english.ts'
import type { PageTexts } from '../page-kit/texts/page-texts.ts'

/**
 * Explains to users why their input was refused, and what would be accepted. It repeats nothing of the input.
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
