const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Int8Array(128).fill(-1)
for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value

/**
 * Returns the base64url text of bytes, without padding (RFC 4648 §5, as RFC 7515 §2 uses it).
 *
 * @example
 * import { encodeBase64url } from '@latchkey/bytes'
 * encodeBase64url(new Uint8Array([255, 254])) // '__4'
 */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    text += encodeChunk(bytes.subarray(start, start + chunkBytes))
  }
  return text
}

/** A multiple of three, so that no group is divided. */
const chunkBytes = 3072

/** All characters in one call: a string that grows by single characters stays a tree of them in memory. */
function encodeChunk(bytes: Uint8Array): string {
  const codes: number[] = []
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    const characters = Math.min(bytes.length - index, 3) + 1
    for (let position = 0; position < characters; position++) {
      codes.push(alphabet.charCodeAt((group >> (18 - 6 * position)) & 63))
    }
  }
  return String.fromCharCode(...codes)
}

/**
 * Returns the bytes of a base64url text, or `null` when it is not their canonical encoding: padding, white space,
 * characters of another alphabet, an impossible length and set bits after the last byte are refused, so two different
 * texts never decode to the same bytes.
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
  const whole = text.length - rest
  for (let index = 0, written = 0; index < whole; index += 4, written += 3) {
    const group = (valueAt(text, index) << 12) | valueAt(text, index + 2)
    if (group < 0) return null
    bytes[written] = group >> 16
    bytes[written + 1] = group >> 8
    bytes[written + 2] = group
  }
  return rest === 0 || readRest(text, whole, bytes) ? bytes : null
}

/** Returns the 12 bits of two characters, or a negative number when one of them is not in the alphabet. */
function valueAt(text: string, index: number): number {
  return (sextetAt(text, index) << 6) | sextetAt(text, index + 1)
}

function sextetAt(text: string, index: number): number {
  return values[text.charCodeAt(index)] ?? -1
}

/** Reads the last two or three characters; `false` unless the bits after the last byte are zero. */
function readRest(text: string, index: number, bytes: Uint8Array): boolean {
  const isTwo = text.length - index === 2
  const bits = isTwo ? valueAt(text, index) << 4 : (valueAt(text, index) << 4) | (sextetAt(text, index + 2) >> 2)
  if (bits < 0) return false
  if (isTwo) {
    bytes[bytes.length - 1] = bits >> 8
    return (bits & 0xff) === 0
  }
  bytes[bytes.length - 2] = bits >> 8
  bytes[bytes.length - 1] = bits
  return (sextetAt(text, index + 2) & 3) === 0
}
