const mostCharacters = 64

/**
 * Returns the name as it is stored, or `null` if it cannot be shown. A name has 1 to 64 characters after its
 * surrounding white space is trimmed, and no characters that control or reorder text.
 */
export function readPasskeyName(name: unknown): string | null {
  // Four UTF-16 units for each character are enough for the white space around a name, too.
  if (typeof name !== 'string' || name.length > 4 * mostCharacters || !name.isWellFormed()) return null
  const shown = name.trim().normalize('NFC')
  const characters = [...shown].length
  const isShowable = !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(shown)
  return characters >= 1 && characters <= mostCharacters && isShowable ? shown : null
}
