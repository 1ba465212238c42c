import { encodeBase64url, sha256 } from '@latchkey/bytes'

const names = new Map<string, string>()

/**
 * Returns the name under which a statement is prepared: the same text has the same name on every connection,
 * and no other text has it.
 */
export function nameStatement(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `latchkey_${encodeBase64url(sha256(text))}`
  names.set(text, name)
  return name
}
