import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { checkSeconds } from '../option-checks.ts'
import { fetchKeys } from './fetch-keys.ts'
import { createKeyIndex, type KeyIndex, type KeySet } from './key-set.ts'
import { createReloadingKeys } from './reloading-keys.ts'

const optionNames = {
  url: true,
  cooldownSeconds: true,
  maxAgeSeconds: true,
  timeoutMs: true,
  fetch: true,
  now: true,
} as const

/**
 * Creates a key set from a JWK Set that another service publishes (RFC 7517 §5). It is fetched on first use, then
 * cached. Only public keys that pass the checks of `importJwtKey` are used, each for one algorithm: its `alg`, else the
 * one of its type (RS256, ES256, EdDSA); others are ignored. Redirects are not followed. The URL comes from the options
 * only, never from a token.
 *
 * @throws TypeError when an option is unknown or out of range, or the URL is neither https nor on loopback. `find`
 *   throws a `JwtError` `JWT_KEYS_UNAVAILABLE` when the set is not available: then there is no verdict on a token.
 *
 * @example
 * import { createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
 * const issuer = 'https://id.example.com'
 * const keys = createRemoteKeySet({ url: `${issuer}/jwks` })
 * const verifier = createJwtVerifier({ issuer, audience: 'https://api.example.com', algorithms: ['ES256'], keys })
 */
export function createRemoteKeySet(options: {
  /** The address of the JWK Set: `https:`, or `http:` on loopback. */
  readonly url: string | URL
  /**
   * The shortest time between two fetches because of unknown ids.
   * @default 30
   */
  readonly cooldownSeconds?: number
  /**
   * The age up to which keys are used without another fetch. From half of it on they are fetched in the background.
   * @default 600
   */
  readonly maxAgeSeconds?: number
  /**
   * The time limit of one fetch including its body, in milliseconds.
   * @default 2000
   */
  readonly timeoutMs?: number
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): KeySet {
  checkOptionNames('createRemoteKeySet', options, optionNames)
  const { cooldownSeconds = 30, maxAgeSeconds = 600, timeoutMs = 2000, now = wallClock } = options
  const { fetch = globalThis.fetch } = options
  const url = checkUrl(options.url)
  checkSeconds(cooldownSeconds, 'cooldownSeconds', 1)
  checkSeconds(maxAgeSeconds, 'maxAgeSeconds', 1)
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 60_000) {
    throw new TypeError('"timeoutMs" must be a whole number of milliseconds from 1 to 60000')
  }
  if (typeof fetch !== 'function') throw new TypeError('"fetch" must be a function')
  const keys = createReloadingKeys<KeyIndex>({
    load: async () => createKeyIndex(await fetchKeys({ url, timeoutMs, fetch })),
    maxAgeMs: maxAgeSeconds * 1000,
    now,
  })
  return {
    async find(query) {
      const key = (await keys.current()).find(query)
      return key ?? (await keys.reloadAfter(cooldownSeconds * 1000))?.find(query) ?? null
    },
  }
}

function checkUrl(given: string | URL): string {
  const url = URL.parse(String(given))
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!url || !isAllowed || url.username !== '' || url.password !== '') {
    throw new TypeError('"url" must be an https URL without credentials; http is for loopback only')
  }
  return url.href
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
