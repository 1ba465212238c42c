import { fingerprint } from '../encoding/native-crypto.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { KeyQuery } from '../keys/key-set.ts'
import type { VerifiedClaims } from './claims.ts'

/** A token whose signature and claims were good. What changes with time is asked again each time. */
export interface VerifiedToken {
  readonly query: KeyQuery
  /** The key that verified it: once the key set gives another one or none, this counts no more. */
  readonly key: JwtKey
  readonly claims: VerifiedClaims
}

/** Remembers verified tokens, by the SHA-256 of the whole text: the tokens themselves are not kept. */
export interface VerifiedTokens {
  /** Gives what a token is known by here, so that it is hashed once however often it is looked for. */
  nameOf(text: string): string
  get(name: string): VerifiedToken | undefined
  /** @param seconds now, in seconds since the epoch. */
  add(name: string, token: VerifiedToken, seconds: number): void
}

/** Gives a memory for so many tokens: those past their end and, when it is full, the oldest make room. */
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
