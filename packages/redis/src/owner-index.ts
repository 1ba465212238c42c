import { enterScript, leaveScript, pageScript, raiseScript } from './owner-index-scripts.ts'
import type { Operation } from './script-runner.ts'

/** The position of an entry in the index of its owner. */
export interface IndexEntry {
  readonly key: string
  /** As Redis formats it. */
  readonly score: string
}

export interface OwnerIndex {
  /** Adds an entry, before its record is inserted. */
  enter(operation: Operation, owner: string, key: string, expiresAt: number, now: number): Promise<void>
  /** Raises the score of an entry, before the expiry of its record changes. */
  raise(operation: Operation, owner: string, key: string, expiresAt: number, now: number): Promise<void>
  /** Removes entries, after this caller has removed their records. */
  leave(operation: Operation, owner: string, keys: readonly string[]): Promise<void>
  /** Returns at most so many entries after this one, without expired ones. */
  page(operation: Operation, owner: string, now: number, limit: number, after: IndexEntry | null): Promise<IndexEntry[]>
}

/** Longer than any record of the set is stored. */
const graceMs = 120_000

export function createOwnerIndex(prefix: string): OwnerIndex {
  const redisKeyOf = (owner: string) => `${prefix}owner:${owner}`
  const lifetime = (expiresAt: number, now: number) => Math.max(0, Math.ceil(expiresAt - now)) + graceMs
  return {
    async enter(operation, owner, key, expiresAt, now) {
      await operation.run(enterScript, redisKeyOf(owner), [key, expiresAt, lifetime(expiresAt, now), now])
    },
    async raise(operation, owner, key, expiresAt, now) {
      await operation.run(raiseScript, redisKeyOf(owner), [key, expiresAt, lifetime(expiresAt, now)])
    },
    async leave(operation, owner, keys) {
      if (keys.length > 0) await operation.run(leaveScript, redisKeyOf(owner), keys)
    },
    async page(operation, owner, now, limit, after) {
      const position = after ? [after.score, after.key] : []
      const [flat] = await operation.run(pageScript, redisKeyOf(owner), [now, limit, ...position])
      return readEntries(Array.isArray(flat) ? flat : [])
    },
  }
}

function readEntries(flat: readonly unknown[]): IndexEntry[] {
  return Array.from({ length: flat.length / 2 }, (_none, index) => ({
    key: String(flat[2 * index]),
    score: String(flat[2 * index + 1]),
  }))
}
