import { decodeBase64, encodeBase64 } from './base64.ts'

const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const bcrypt = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Gives the text of bytes in bcrypt's base64, which has the order of bits of the standard one and its own alphabet. */
export function encodeBcryptBase64(bytes: Uint8Array): string {
  return translate(encodeBase64(bytes), standard, bcrypt)
}

/** Gives the bytes of a text in bcrypt's base64, or `null` when it is not the canonical spelling of them. */
export function decodeBcryptBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return /^[./A-Za-z0-9]*$/.test(text) ? decodeBase64(translate(text, bcrypt, standard)) : null
}

function translate(text: string, from: string, to: string): string {
  return text.replace(/./g, (character) => to[from.indexOf(character)] ?? '')
}
