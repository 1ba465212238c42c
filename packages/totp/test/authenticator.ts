import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the bytes of a base32 text (RFC 4648), as an app reads it. */
export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that an app shows, by RFC 6238 and RFC 4226 alone: no code of the package. */
export function codeAt(secret: Uint8Array | string, time: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)))
  const key = typeof secret === 'string' ? decodeBase32(secret) : secret
  const digest = createHmac('sha1', key).update(counter).digest()
  const truncated = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7f_ff_ff_ff
  return String(truncated % 1_000_000).padStart(6, '0')
}

/** Six digits that are no code around this time. */
export function wrongCodeAt(secret: string, time: number, skip = 0): string {
  const right = [-1, 0, 1].map((step) => codeAt(secret, time + step * 30_000))
  let code = skip
  while (right.includes(String(code).padStart(6, '0'))) code++
  return String(code).padStart(6, '0')
}
