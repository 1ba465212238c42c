import { randomToken } from '@latchkey/bytes'
import { collectBytes } from '@latchkey/bytes/internal'
import { abortAfter } from '@latchkey/core/internal'
import { isJwtAlgorithm } from '../algorithm.ts'
import { isObject, parseStrictObject } from '../encoding/strict-json.ts'
import { isJwtError, JwtError } from '../errors.ts'
import type { Jwk, KeyPairAlgorithm } from './check-jwk.ts'
import { importJwtKey } from './import-jwt-key.ts'
import type { JwtKey } from './jwt-key.ts'

export interface FetchKeysOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly fetch: typeof globalThis.fetch
}

const maxBodyBytes = 256 * 1024
const maxKeys = 100
const accept = 'application/jwk-set+json, application/json'

/**
 * Returns the usable keys of a published JWK Set.
 *
 * @throws JwtError `JWT_KEYS_UNAVAILABLE` when the set is not available.
 */
export async function fetchKeys({ url, timeoutMs, fetch }: FetchKeysOptions): Promise<readonly JwtKey[]> {
  const signal = abortAfter(timeoutMs)
  try {
    return await Promise.race([
      readKeys(fetch(url, { headers: { accept }, redirect: 'manual', signal }), signal),
      failAfter(signal),
    ])
  } catch (cause) {
    throw new JwtError('JWT_KEYS_UNAVAILABLE', 'the remote key set could not be had', { cause })
  }
}

async function readKeys(answer: Promise<Response>, signal: AbortSignal): Promise<readonly JwtKey[]> {
  const response = await answer
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`the answer has the status ${response.status}`)
  }
  const bytes = await collectBytes(response.body, { limitBytes: maxBodyBytes, signal })
  if (bytes === null) throw new Error(`the answer has more than ${maxBodyBytes} bytes`)
  const entries = parseStrictObject(bytes)?.keys
  if (!Array.isArray(entries) || entries.length > maxKeys)
    throw new Error(`the answer is no set of up to ${maxKeys} keys`)
  const keys = await Promise.all(entries.map(importPublished))
  return keys.filter((key) => key !== null)
}

/** A function that is passed as `fetch` may ignore the signal, and a body may arrive slowly. */
function failAfter(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/**
 * Returns a key of the set, or `null` for one that is not usable: symmetric, for encryption, weak, of another
 * algorithm.
 */
async function importPublished(jwk: unknown): Promise<JwtKey | null> {
  const algorithm = isObject(jwk) ? algorithmOf(jwk) : null
  if (!algorithm || !isObject(jwk)) return null
  const { kid: id = randomToken(16), d: _private, ...open } = jwk as Jwk
  try {
    return await importJwtKey({ id, algorithm, jwk: open })
  } catch (error) {
    if (isJwtError(error) || error instanceof TypeError) return null
    throw error
  }
}

const algorithmByType: ReadonlyMap<unknown, KeyPairAlgorithm> = new Map([
  ['RSA', 'RS256'],
  ['EC', 'ES256'],
  ['OKP', 'EdDSA'],
])

function algorithmOf({ alg, kty }: Jwk): KeyPairAlgorithm | null {
  if (alg === undefined) return algorithmByType.get(kty) ?? null
  return isJwtAlgorithm(alg) && alg !== 'HS256' ? alg : null
}
