import { type Field, field } from '../html/field.ts'
import { fill, type Html } from '../html/html.ts'
import type { PageParts } from '../page-parts.ts'

/** Returns the field for a new password, with the rule of the policy as its hint. */
export function newPasswordField(
  { frame: { texts }, offers: { passwordCharacters } }: PageParts,
  options: Pick<Field, 'name' | 'label' | 'isWrong' | 'isFirst'>,
): Html {
  const hint =
    passwordCharacters === null
      ? texts['field.new-password-hint']
      : fill(texts['field.new-password-rule'], { characters: passwordCharacters })
  return field({ ...options, type: 'password', autocomplete: 'new-password', hint })
}
