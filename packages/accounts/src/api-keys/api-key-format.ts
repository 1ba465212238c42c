import { randomBytes, sha256 } from '@latchkey/bytes'

/** The parts of a key: the id is public, the secret is not. */
export interface ApiKeyParts {
  readonly id: string
  readonly secret: string
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 16
const secretLength = 43
const checkLength = 6
const startLength = 8

const idPattern = /^[0-9A-Za-z]{16}$/

/** Returns a new key: prefix, id, 43 characters with 256 bits of randomness, and the check of all of them. */
export function drawApiKey(prefix: string): ApiKeyParts & { readonly text: string } {
  const [id, secret] = [drawText(idLength), drawText(secretLength)]
  const body = `${prefix}${id}${secret}`
  return { id, secret, text: `${body}${checkOf(body)}` }
}

/** Returns the parts of a key whose check is right; `null`: it is no key of this prefix. */
export function parseApiKey(prefix: string, text: string): ApiKeyParts | null {
  const checkAt = prefix.length + idLength + secretLength
  if (text.length !== checkAt + checkLength || !text.startsWith(prefix)) return null
  const body = text.slice(0, checkAt)
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) || checkOf(body) !== text.slice(checkAt)) return null
  const secretAt = prefix.length + idLength
  return { id: body.slice(prefix.length, secretAt), secret: body.slice(secretAt) }
}

/** Returns the start of a key, by which its owner recognizes it. */
export function startOf(prefix: string, { id }: Pick<ApiKeyParts, 'id'>): string {
  return `${prefix}${id}`.slice(0, startLength)
}

/** Whether a text may be the id of a key. */
export function isApiKeyId(text: string): boolean {
  return idPattern.test(text)
}

export function hashOfSecret({ secret }: Pick<ApiKeyParts, 'secret'>): Uint8Array<ArrayBuffer> {
  return sha256(secret)
}

/** The largest multiple of 62 below 256: bytes beyond it would make some characters more likely. */
const fairBytes = 248

function drawText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fairBytes && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** CRC-32 (ISO-HDLC) in base 62, most significant first. It is no secret: it finds typing errors and lets scanners find keys. */
function checkOf(body: string): string {
  let crc = ~0
  for (let at = 0; at < body.length; at++) {
    crc ^= body.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  let rest = ~crc >>> 0
  let text = ''
  for (let digit = 0; digit < checkLength; digit++) {
    text = `${alphabet[rest % alphabet.length]}${text}`
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
