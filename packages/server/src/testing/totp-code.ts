/** How long a code is shown, in milliseconds. */
export const stepMs = 30_000

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the code that an authenticator app shows at an instant, of a secret in base32 (RFC 6238). */
export async function codeAt(secret: string, time: number): Promise<string> {
  const step = new DataView(new ArrayBuffer(8))
  step.setBigUint64(0, BigInt(Math.floor(time / stepMs)))
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign'])
  const digest = new DataView(await crypto.subtle.sign('HMAC', key, step.buffer))
  const number = digest.getUint32(digest.getUint8(19) & 15) & 0x7f_ff_ff_ff
  return String(number % 1_000_000).padStart(6, '0')
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
