import { createHmac } from 'node:crypto'
import { createJwtVerifier, createKeyRing, importJwtKey, type JwtVerifier } from '@latchkey/jwt'

export const issuer = 'https://id.example.com'
export const audience = 'https://api.example.com'
export const seconds = 1_800_000_000
export const now = (): number => seconds * 1000

export const secret: Uint8Array = new Uint8Array(32).fill(7)
export const header = { alg: 'HS256', typ: 'JWT', kid: 'hmac' }
export const claims = { iss: issuer, sub: 'acc_1', aud: audience, iat: seconds, exp: seconds + 900, jti: 'token-1' }

/** Encodes a part of a token: an object as JSON, a text unchanged. */
export type Part = object | string

export function encode(part: Part): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
}

export function hmac(signingInput: string, key: Uint8Array = secret): string {
  return createHmac('sha256', key).update(signingInput).digest('base64url')
}

/** Creates a token of any content with a valid HS256 signature, so that only its content can be refused. */
export function forge(headerPart: Part = header, payloadPart: Part = claims, key: Uint8Array = secret): string {
  const signingInput = `${encode(headerPart)}.${encode(payloadPart)}`
  return `${signingInput}.${hmac(signingInput, key)}`
}

export async function createHmacVerifier(): Promise<JwtVerifier> {
  const keys = createKeyRing({ keys: [await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })] })
  return createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
}
