import { AccountsError } from '../../errors.ts'
import { canonicalName } from '../../store/canonical-name.ts'

const nameCharacters = 64

/** @throws AccountsError NAME_INVALID. */
export function checkPasskeyName(text: string): string {
  const name = canonicalName(text)
  if (name !== null && [...name].length <= nameCharacters) return name
  throw new AccountsError('NAME_INVALID', `a name must have 1 to ${nameCharacters} characters`, { field: 'name' })
}
