const standardAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns the text of bytes in the base64 of PHC strings: the standard alphabet (RFC 4648 §4) without padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
}

/** Returns the bytes of an unpadded base64 text, or `null` when it is not the one canonical spelling of them. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*$/.test(text) || text.length % 4 === 1) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return encodeBase64(bytes) === text ? bytes : null
}

/**
 * Like `decodeBase64`, for the texts of other systems: padded or not, in the standard alphabet, in the URL alphabet, or
 * in passlib's (`.` for `+`). The bits after the last byte must still be zero.
 */
export function decodeAnyBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (/=/.test(text) && text.length % 4 !== 0) return null
  return decodeBase64(
    text
      .replace(/={1,2}$/, '')
      .replace(/[-.]/g, '+')
      .replaceAll('_', '/'),
  )
}

/** Returns the text of bytes in bcrypt's base64, which has the order of bits of the standard one and its own alphabet. */
export function encodeBcryptBase64(bytes: Uint8Array): string {
  return translate(encodeBase64(bytes), standardAlphabet, bcryptAlphabet)
}

/** Returns the bytes of a text in bcrypt's base64, or `null` when it is not the canonical spelling of them. */
export function decodeBcryptBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[./A-Za-z0-9]*$/.test(text) ? decodeBase64(translate(text, bcryptAlphabet, standardAlphabet)) : null
}

function translate(text: string, from: string, to: string): string {
  return text.replace(/./g, (character) => to[from.indexOf(character)] ?? '')
}
