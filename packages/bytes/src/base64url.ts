const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Int8Array(128).fill(-1)
for (const [value, character] of [...alphabet].entries()) values[character.charCodeAt(0)] = value

/**
 * Gives the base64url text of bytes, without padding (RFC 4648 §5, as RFC 7515 §2 uses it).
 *
 * @example
 * import { encodeBase64url } from '@latchkey/bytes'
 * encodeBase64url(new Uint8Array([255, 254])) // '__4'
 */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) text += encodeGroup(bytes, index)
  return text
}

function encodeGroup(bytes: Uint8Array, index: number): string {
  const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
  const characters = Math.min(bytes.length - index, 3) + 1
  let text = ''
  for (let position = 0; position < characters; position++) text += alphabet[(group >> (18 - 6 * position)) & 63]
  return text
}

/**
 * Gives the bytes of a base64url text, or `null` when it is not the one canonical spelling of them: padding, white
 * space, characters of the other alphabet, an impossible length and set bits after the last byte are all refused, so
 * two different texts never decode to the same bytes.
 *
 * @example
 * import { decodeBase64url } from '@latchkey/bytes'
 * decodeBase64url('__4') // Uint8Array [255, 254]
 * decodeBase64url('__4=') // null
 * decodeBase64url('__5') // null: the last bits are not zero
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  const rest = text.length % 4
  if (rest === 1) return null
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let bits = 0
  let pending = 0
  let written = 0
  for (let index = 0; index < text.length; index++) {
    const value = values[text.charCodeAt(index)] ?? -1
    if (value < 0) return null
    pending = ((pending << 6) | value) & 0xfff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[written++] = pending >> bits
  }
  const isCanonical = (pending & ((1 << bits) - 1)) === 0
  return isCanonical ? bytes : null
}
