import { fingerprint } from '../encoding/native-crypto.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { KeyQuery } from '../keys/key-set.ts'
import type { VerifiedClaims } from './claims.ts'

/** A token whose signature and claims were valid. What changes with time is checked again on each use. */
export interface VerifiedToken {
  readonly query: KeyQuery
  /** The key that verified it: once the key set returns another one or none, the entry is not used. */
  readonly key: JwtKey
  readonly claims: VerifiedClaims
}

/** A cache of verified tokens by the SHA-256 of the whole text. The tokens themselves are not stored. */
export interface VerifiedTokens {
  /** Returns the key of a token in this cache, so that it is hashed once for `get` and `add`. */
  nameOf(text: string): string
  get(name: string): VerifiedToken | undefined
  /** @param seconds now, in seconds since the epoch. */
  add(name: string, token: VerifiedToken, seconds: number): void
}

/** Creates a cache for so many tokens. Expired ones and, when it is full, the oldest are dropped. */
export function createVerifiedTokens(max: number): VerifiedTokens {
  const tokens = new Map<string, VerifiedToken>()
  return {
    nameOf: (text) => (max === 0 ? '' : fingerprint(text)),
    get: (name) => tokens.get(name),
    add(name, token, seconds) {
      if (max === 0) return
      for (const [oldest, { claims }] of tokens) {
        if (tokens.size < max && claims.exp > seconds) break
        tokens.delete(oldest)
      }
      tokens.set(name, token)
    },
  }
}
