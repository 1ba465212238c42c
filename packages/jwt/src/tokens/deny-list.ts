import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { maxClockToleranceSeconds } from '../keys/expiring-keys.ts'
import { checkSeconds, checkText } from '../option-checks.ts'
import type { VerifiedClaims } from './claims.ts'
import { openStoredDenials, type StoredDenials } from './stored-denials.ts'

/** Denied tokens and sessions, for `denyList` of `createJwtVerifier`. */
export interface DenyList {
  /** The store of the denials. */
  readonly documents: DocumentStore
  /** Returns the ids under which a token may be denied, for a caller that reads them with something else in one statement. */
  idsOf(claims: Pick<VerifiedClaims, 'jti' | 'sid'>): readonly string[]
  /**
   * Denies one token by its `jti`, until it expires.
   *
   * @throws TypeError when the token has no `jti`. Errors of the store pass through: the token is valid then.
   */
  denyToken(claims: Pick<VerifiedClaims, 'jti' | 'exp'>): Promise<void>
  /** Denies every token of a session by its `sid`, until the last of them expires. Errors of the store pass through. */
  denySession(sid: string): Promise<void>
  /** Returns whether the token or its session is denied. Errors of the store pass through: they are no answer. */
  isDenied(claims: VerifiedClaims): Promise<boolean>
}

const optionNames = {
  documents: true,
  maxStalenessSeconds: true,
  maxLifetimeSeconds: true,
  now: true,
  storedVersion: true,
} as const

/** The number of remembered answers; a further answer clears the memory. */
const maxRemembered = 10_000

/**
 * Creates a deny list in a document store. Entries expire with the longest lifetime of the denied tokens.
 *
 * @throws TypeError if an option is unknown, missing or out of range.
 * @example
 * import { createDenyList, createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * const denyList = createDenyList({ documents: createMemoryDocumentStore() })
 * const keys = createRemoteKeySet({ url: 'https://id.example.com/jwks' })
 * const api = { issuer: 'https://id.example.com', audience: 'https://api.example.com' }
 * const verifier = createJwtVerifier({ ...api, algorithms: ['ES256'], keys, denyList })
 * await denyList.denySession('rf_1')
 */
export function createDenyList(options: {
  /** Keeps the denials, in its collection `denials`: every process that accepts the tokens reads the same. */
  readonly documents: DocumentStore
  /**
   * The time for which an answer of the store is reused. 0: the store is read for every token, and a denial takes
   * effect with the next request, in every process.
   * @default 0
   */
  readonly maxStalenessSeconds?: number
  /**
   * The longest lifetime of the tokens of a session.
   * @default 900
   */
  readonly maxLifetimeSeconds?: number
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * The version of stored values to write.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
}): DenyList {
  checkOptionNames('createDenyList', options, optionNames)
  const { documents, maxStalenessSeconds = 0, maxLifetimeSeconds = 900, now = wallClock } = options
  const { storedVersion = () => newestVersion } = options
  checkStores({ documents })
  checkSeconds(maxStalenessSeconds, 'maxStalenessSeconds', 0)
  checkSeconds(maxLifetimeSeconds, 'maxLifetimeSeconds', 1)
  const denials = openStoredDenials({ documents, now, storedVersion })
  const named = rememberIds()
  const answers = createAnswers(denials, maxStalenessSeconds * 1000, now)
  const deny = async (id: string, expiresAt: number): Promise<void> => {
    // One that fails may be stored all the same.
    await denials.deny(id, expiresAt + maxClockToleranceSeconds * 1000).finally(answers.forget)
  }
  return {
    documents,
    idsOf: named,
    async denyToken({ jti, exp }) {
      if (jti === undefined) throw new TypeError('a token without a "jti" cannot be denied: deny its session')
      await deny(tokenId(jti), exp * 1000)
    },
    async denySession(sid) {
      checkText(sid, 'sid')
      await deny(sessionId(sid), now() + maxLifetimeSeconds * 1000)
    },
    async isDenied(claims) {
      const ids = named(claims)
      return ids.length > 0 && (await answers.ask(ids))
    },
  }
}

/** An id of one kind never passes for one of the other. Another issuer's may have any length and characters. */
const tokenId = (jti: string): string => `jti:${digest(jti)}`
const sessionId = (sid: string): string => `sid:${digest(sid)}`

/** A verifier returns the same claims for a token that it has seen: their ids are digests, and are made once. */
function rememberIds(): DenyList['idsOf'] {
  const known = new WeakMap<object, readonly string[]>()
  return (claims) => {
    const remembered = known.get(claims)
    if (remembered) return remembered
    const ids = idsOf(claims)
    // Of claims that can be changed nothing is remembered.
    if (Object.isFrozen(claims)) known.set(claims, ids)
    return ids
  }
}

function idsOf({ jti, sid }: Pick<VerifiedClaims, 'jti' | 'sid'>): readonly string[] {
  return [...(jti === undefined ? [] : [tokenId(jti)]), ...(sid === undefined ? [] : [sessionId(sid)])]
}

const digest = (id: string): string => encodeBase64url(sha256(id))

interface Answers {
  ask(ids: readonly string[]): Promise<boolean>
  forget(): void
}

/** Asks the store, unless it was asked the same less than so long ago. */
function createAnswers(denials: StoredDenials, maxStalenessMs: number, now: () => number): Answers {
  if (maxStalenessMs === 0) return { ask: (ids) => denials.isAnyDenied(ids), forget: () => {} }
  let remembered = new Map<string, { readonly at: number; readonly isDenied: boolean }>()
  return {
    async ask(ids) {
      const name = JSON.stringify(ids)
      const at = now()
      const last = remembered.get(name)
      // In both directions: a clock that was set back must not extend the age of an answer.
      if (last && Math.abs(at - last.at) < maxStalenessMs) return last.isDenied
      // An answer that a denial has overtaken is put where nothing is looked up any more.
      const current = remembered
      const isDenied = await denials.isAnyDenied(ids)
      if (current.size >= maxRemembered) current.clear()
      current.set(name, { at, isDenied })
      return isDenied
    },
    forget() {
      remembered = new Map()
    },
  }
}
