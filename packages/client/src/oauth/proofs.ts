import { randomText, toBase64url } from '../platform/random.ts'
import { seconds } from '../platform/time.ts'

/** Returns a proof of the key for one request (RFC 9449). */
export async function signProof(
  keys: CryptoKeyPair,
  method: string,
  url: string,
  nonce?: string,
  token?: string,
): Promise<string> {
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: await publicKey(keys) }
  const ath = token && (await digest(token))
  const claims = { jti: randomText(), htm: method, htu: url.split(/[?#]/)[0], iat: seconds(), ath, nonce }
  const input = `${encode(header)}.${encode(claims)}`
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, keys.privateKey, toBytes(input))
  return `${input}.${toBase64url(signature)}`
}

/** Returns the thumbprint of the key (RFC 7638). */
export async function thumbprint(keys: CryptoKeyPair): Promise<string> {
  return digest(JSON.stringify(await publicKey(keys)))
}

/** Returns the SHA-256 of a text in base64url. */
export async function digest(text: string): Promise<string> {
  return toBase64url(await crypto.subtle.digest('SHA-256', toBytes(text)))
}

/** The members of a thumbprint, in its order. */
async function publicKey({ publicKey }: CryptoKeyPair): Promise<object> {
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { crv, kty, x, y }
}

function encode(value: object): string {
  return toBase64url(toBytes(JSON.stringify(value)))
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
