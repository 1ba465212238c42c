import { fingerprint } from '../encoding/native-hashes.ts'
import type { JwtKey } from '../keys/jwt-key.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { VerifiedClaims } from './claims.ts'

/** A token whose signature and claims were valid. Facts that depend on the time are checked again on each use. */
export interface VerifiedToken {
  readonly query: Parameters<KeySet['find']>[0]
  /** The key that verified it: if the key set no longer returns this key, the entry is not used. */
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

/** Creates a cache for `max` tokens. A full cache drops the least recently used token, and expired tokens with it. */
export function createVerifiedTokens(max: number): VerifiedTokens {
  const entries = new Map<number, Entry>()
  const end = new Entry('', null)
  const drop = (entry: Entry): void => {
    unlink(entry)
    entries.delete(entry.slot)
  }
  return {
    nameOf: (text) => (max === 0 ? '' : fingerprint(text)),
    get(name) {
      const entry = entries.get(slotOf(name))
      if (entry?.name !== name) return undefined
      if (entry.newer !== end) {
        unlink(entry)
        linkNewest(entry, end)
      }
      return entry.token ?? undefined
    },
    add(name, token, seconds) {
      if (max === 0) return
      const entry = new Entry(name, token)
      const known = entries.get(entry.slot)
      if (known) drop(known)
      for (let oldest = end.newer; oldest !== end; oldest = end.newer) {
        if (entries.size < max && oldest.expiresAt > seconds) break
        drop(oldest)
      }
      linkNewest(entry, end)
      entries.set(entry.slot, entry)
    },
  }
}

/**
 * Returns a small integer for a name. A map of integers is searched without reading strings, which are scattered in
 * memory. Two cached names rarely share an integer: the later name then replaces the earlier.
 */
function slotOf(name: string): number {
  let slot = 0
  for (let index = 0; index < 8; index++) slot = Math.imul(slot, 31) + name.charCodeAt(index)
  return slot & 0x3fff_ffff
}

/**
 * In a ring by their use. Its end belongs to no token: `newer` leads from there to the one that was not used for longest.
 * The order of a map would do, but to find its first entry takes as long as many were deleted before it.
 */
class Entry {
  readonly name: string
  readonly slot: number
  readonly token: VerifiedToken | null
  readonly expiresAt: number
  older: Entry = this
  newer: Entry = this

  constructor(name: string, token: VerifiedToken | null) {
    this.name = name
    this.slot = slotOf(name)
    this.token = token
    this.expiresAt = token?.claims.exp ?? 0
  }
}

function unlink({ older, newer }: Entry): void {
  older.newer = newer
  newer.older = older
}

function linkNewest(entry: Entry, end: Entry): void {
  entry.older = end.older
  entry.newer = end
  end.older.newer = entry
  end.older = entry
}
