import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { isJwtAlgorithm, type JwtAlgorithm } from '../algorithm.ts'
import { type CompactToken, maxTokenLength, parseCompactToken } from '../encoding/compact-token.ts'
import { parseStrictObject } from '../encoding/strict-json.ts'
import { maxClockToleranceSeconds } from '../keys/expiring-keys.ts'
import { type FindAtOnce, findAtOnceOf } from '../keys/find-at-once.ts'
import { type JwtKey, operationsOf } from '../keys/jwt-key.ts'
import type { KeySet } from '../keys/key-set.ts'
import { checkSeconds, checkText } from '../option-checks.ts'
import { type ClaimsPolicy, timeRefusal, type VerifiedClaims, verifyClaims } from './claims.ts'
import type { DenyList } from './deny-list.ts'
import type { JwtRefusal } from './jwt-refusal.ts'
import { normalizeType, readTokenHeader, type TokenHeader } from './token-header.ts'
import { createVerifiedTokens, type VerifiedToken, type VerifiedTokens } from './verified-tokens.ts'

/**
 * Passed as `audience`: accepts tokens for any audience, including those for another service (RFC 8725 §3.9 warns of
 * it).
 */
export const acceptAnyAudience: unique symbol = Symbol('acceptAnyAudience')

export interface JwtVerifierOptions {
  /** The only accepted `iss`, compared exactly. */
  readonly issuer: string
  /** This service: the `aud`, or the only value of its list. */
  readonly audience: string | typeof acceptAnyAudience
  /**
   * The services that `aud` may name with `audience`. Trust them with tokens for this service, because each recipient
   * of a token can present it to the others (RFC 9700 §2.3). A token for any further service is refused.
   * @default []
   */
  readonly otherAudiences?: readonly string[]
  /** The accepted algorithms. No other is tried, whatever the token names (RFC 8725 §3.1). */
  readonly algorithms: readonly [JwtAlgorithm, ...JwtAlgorithm[]]
  readonly keys: KeySet
  /**
   * The only accepted `typ`, compared without regard to case.
   * @default 'JWT'
   */
  readonly typ?: string
  /**
   * How far clocks may differ: 0 to 300.
   * @default 5
   */
  readonly clockToleranceSeconds?: number
  /**
   * The longest time from `iat` to `exp`.
   * @default 900
   */
  readonly maxLifetimeSeconds?: number
  /**
   * A list by `createDenyList` or your own. The verifier consults it last, for every token that is otherwise valid. Its
   * errors pass through.
   */
  readonly denyList?: Pick<DenyList, 'isDenied'>
  /**
   * How many verified tokens are cached, so that the next request with one costs a digest; 0 for none. When there are
   * more, the one that was not used for longest is dropped. A cached token is still checked against the clock, the key set
   * and the deny list on each request.
   * @default 10000
   */
  readonly maxCachedTokens?: number
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}

/** The verdict on a token. */
export type JwtVerdict =
  | { readonly ok: true; readonly claims: VerifiedClaims }
  | { readonly ok: false; readonly reason: JwtRefusal }

/** Verifies tokens. */
export interface JwtVerifier {
  /** Returns a verdict for any text. Rejects if keys or deny list are unavailable: there is then no verdict. */
  verify(token: string | null): Promise<JwtVerdict>
}

const maxHeaders = 100

const optionNames = {
  issuer: true,
  audience: true,
  otherAudiences: true,
  algorithms: true,
  keys: true,
  typ: true,
  clockToleranceSeconds: true,
  maxLifetimeSeconds: true,
  denyList: true,
  maxCachedTokens: true,
  now: true,
} as const

interface Pinned extends ClaimsPolicy {
  readonly algorithms: ReadonlySet<JwtAlgorithm>
  readonly typ: string
  readonly keys: KeySet
  /** The `find` of the key set, and its form without promises for keys in memory. */
  readonly find: KeySet['find']
  readonly findAtOnce: FindAtOnce | null
  readonly verified: VerifiedTokens
  /** The headers of valid tokens, of which an issuer has one per key. Headers of other tokens are not added. */
  readonly headers: Map<string, TokenHeader>
  readonly now: () => number
}

/**
 * Creates a verifier. Only the compact form in canonical encoding is accepted, and the options decide algorithms, keys,
 * issuer, audience, type and the longest lifetime, never the token (RFC 8725).
 *
 * @throws TypeError when an option is unknown, missing or out of range.
 *
 * @example
 * import { createJwtVerifier, createKeyRing, generateJwtKey } from '@latchkey/jwt'
 * const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
 * const [issuer, audience] = ['https://id.example.com', 'https://api.example.com']
 * const verifier = createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys })
 * await verifier.verify('no.token.here') // { ok: false, reason: 'malformed' }
 */
export function createJwtVerifier(options: JwtVerifierOptions): JwtVerifier {
  const pinned = checkOptions(options)
  const { denyList } = options
  return {
    async verify(text) {
      if (typeof text !== 'string' || text.length > maxTokenLength) return refuseUnread(text)
      const verdict = judge(text, pinned)
      // What is decided at once does not wait for a turn of the event loop.
      const judged = verdict instanceof Promise ? await verdict : verdict
      if (typeof judged === 'string') return refuse(judged)
      if (denyList && (await denyList.isDenied(judged))) return refuse('denied')
      return { ok: true, claims: judged }
    },
  }
}

function refuseUnread(text: unknown): JwtVerdict {
  return refuse(text === null || text === undefined ? 'missing' : 'malformed')
}

function refuse(reason: JwtRefusal): JwtVerdict {
  return { ok: false, reason }
}

type Judged = VerifiedClaims | JwtRefusal

/** Returns the key that a token names. One in memory is found without a promise, unless the `find` of the key set was replaced. */
function findKey(
  { keys, find, findAtOnce }: Pinned,
  query: Parameters<KeySet['find']>[0],
): Promise<JwtKey | null> | JwtKey | null {
  return findAtOnce && keys.find === find ? findAtOnce(query) : Promise.resolve(keys.find(query))
}

/** Verifies a token: by the clock and its key if it is cached, else completely. */
function judge(text: string, pinned: Pinned): Promise<Judged> | Judged {
  const seconds = Math.floor(pinned.now() / 1000)
  const name = pinned.verified.nameOf(text)
  const known = pinned.verified.get(name)
  if (!known) return verifyUncached(text, name, pinned, seconds)
  const key = findKey(pinned, known.query)
  if (key instanceof Promise) return judgeLater(key, { text, name, known, seconds }, pinned)
  if (key !== known.key) return verifyUncached(text, name, pinned, seconds)
  return timeRefusal(known.claims, pinned, seconds) ?? known.claims
}

interface KnownToken {
  readonly text: string
  readonly name: string
  readonly known: VerifiedToken
  readonly seconds: number
}

/** A separate function, so that the synchronous path creates no closure. */
async function judgeLater(
  key: Promise<JwtKey | null>,
  { text, name, known, seconds }: KnownToken,
  pinned: Pinned,
): Promise<Judged> {
  if ((await key) !== known.key) return verifyUncached(text, name, pinned, seconds)
  return timeRefusal(known.claims, pinned, seconds) ?? known.claims
}

/** Verifies a token that is not cached, and caches it under its name when it is valid. */
function verifyUncached(text: string, name: string, pinned: Pinned, seconds: number): Promise<Judged> | Judged {
  const token = parseCompactToken(text)
  if (!token) return 'malformed'
  const header = pinned.headers.get(token.header) ?? readTokenHeader(token.header, pinned.algorithms)
  if (typeof header === 'string') return header
  const asked = { token, name, header, seconds }
  const key = findKey(pinned, header.query)
  return key instanceof Promise ? verifyLater(key, asked, pinned) : verifyWith(key, asked, pinned)
}

async function verifyLater(key: Promise<JwtKey | null>, asked: AskedToken, pinned: Pinned): Promise<Judged> {
  return verifyWith(await key, asked, pinned)
}

interface AskedToken {
  readonly token: CompactToken
  readonly name: string
  readonly header: TokenHeader
  readonly seconds: number
}

function verifyWith(key: JwtKey | null, asked: AskedToken, pinned: Pinned): Promise<Judged> | Judged {
  if (!key) return 'key'
  if (key.algorithm !== asked.header.query.algorithm) return 'algorithm'
  const isGenuine = operationsOf(key).verify(asked.token)
  if (typeof isGenuine !== 'boolean') return judgeVerified(isGenuine, key, asked, pinned)
  return isGenuine ? judgeGenuine(key, asked, pinned) : 'signature'
}

async function judgeVerified(
  isGenuine: Promise<boolean>,
  key: JwtKey,
  asked: AskedToken,
  pinned: Pinned,
): Promise<Judged> {
  return (await isGenuine) ? judgeGenuine(key, asked, pinned) : 'signature'
}

/** Checks the type and the claims of a token whose signature is valid. */
function judgeGenuine(key: JwtKey, { token, name, header, seconds }: AskedToken, pinned: Pinned): Judged {
  if (header.typ !== pinned.typ) return 'type'
  if (pinned.headers.size < maxHeaders && !pinned.headers.has(token.header)) pinned.headers.set(token.header, header)
  const payload = parseStrictObject(token.payload)
  const claims = payload ? verifyClaims(payload, pinned, seconds) : 'malformed'
  if (typeof claims !== 'string') pinned.verified.add(name, { query: header.query, key, claims }, seconds)
  return claims
}

function checkOptions(options: JwtVerifierOptions): Pinned {
  checkOptionNames('createJwtVerifier', options, optionNames)
  const { issuer, audience, otherAudiences = [], algorithms, keys, typ = 'JWT', now = wallClock } = options
  const { clockToleranceSeconds = 5, maxLifetimeSeconds = 900, maxCachedTokens = 10_000 } = options
  checkText(issuer, 'issuer')
  checkText(typ, 'typ')
  const audiences = checkAudiences(audience, otherAudiences)
  if (!Array.isArray(algorithms) || algorithms.length === 0 || !algorithms.every(isJwtAlgorithm)) {
    throw new TypeError('"algorithms" must name at least one of HS256, RS256, PS256, ES256 and EdDSA')
  }
  // An array and a Uint8Array have a `find` too.
  if (typeof keys?.find !== 'function' || Symbol.iterator in keys) throw new TypeError('"keys" must be a key set')
  if (options.denyList !== undefined && typeof options.denyList?.isDenied !== 'function') {
    throw new TypeError('"denyList" must have "isDenied"')
  }
  checkSeconds(clockToleranceSeconds, 'clockToleranceSeconds', 0, maxClockToleranceSeconds)
  checkSeconds(maxLifetimeSeconds, 'maxLifetimeSeconds', 1)
  if (!Number.isInteger(maxCachedTokens) || maxCachedTokens < 0) {
    throw new TypeError('"maxCachedTokens" must be a whole number, 0 or more')
  }
  return {
    issuer,
    audience: audience === acceptAnyAudience ? null : audience,
    audiences,
    algorithms: new Set(algorithms),
    typ: normalizeType(typ),
    keys,
    find: keys.find,
    findAtOnce: findAtOnceOf(keys),
    verified: createVerifiedTokens(maxCachedTokens),
    headers: new Map(),
    clockToleranceSeconds,
    maxLifetimeSeconds,
    now,
  }
}

function checkAudiences(audience: JwtVerifierOptions['audience'], others: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(others) || others.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('"otherAudiences" must be a list of texts that are not empty')
  }
  if (audience !== acceptAnyAudience) {
    checkText(audience, 'audience')
    return new Set([audience, ...others])
  }
  if (others.length > 0) throw new TypeError('"otherAudiences" must be omitted when "audience" is acceptAnyAudience')
  return new Set()
}
