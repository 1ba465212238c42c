import { enterScript, leaveScript, pageScript, raiseScript } from './owner-index-scripts.ts'
import type { Operation } from './script-runner.ts'

/** The position of an entry in the index of its owner. */
export interface IndexEntry {
  readonly key: string
  /** As Redis formats it. */
  readonly score: string
}

/** The size of a page, and its start. */
export interface IndexPage {
  readonly limit: number
  /** Those after this entry; `null`: from the beginning. */
  readonly after: IndexEntry | null
  /** `living`: without expired entries. */
  readonly entries: 'living' | 'all'
}

export interface OwnerIndex {
  /** Adds an entry, before its record is inserted. */
  enter(operation: Operation, owner: string, key: string, expiresAt: number): Promise<void>
  /** Raises the score of an entry, before the expiry of its record changes. */
  raise(operation: Operation, owner: string, key: string, expiresAt: number): Promise<void>
  /** Removes entries, after this caller has removed their records. */
  leave(operation: Operation, owner: string, keys: readonly string[]): Promise<void>
  page(operation: Operation, owner: string, page: IndexPage): Promise<IndexEntry[]>
}

/** @param time the argument `now` of scripts. */
export function createOwnerIndex(prefix: string, time: () => number | ''): OwnerIndex {
  const redisKeyOf = (owner: string) => `${prefix}owner:${owner}`
  return {
    async enter(operation, owner, key, expiresAt) {
      await operation.run(enterScript, redisKeyOf(owner), [time(), key, expiresAt])
    },
    async raise(operation, owner, key, expiresAt) {
      await operation.run(raiseScript, redisKeyOf(owner), [time(), key, expiresAt])
    },
    async leave(operation, owner, keys) {
      if (keys.length > 0) await operation.run(leaveScript, redisKeyOf(owner), keys)
    },
    async page(operation, owner, { limit, after, entries }) {
      const position = after ? [after.score, after.key] : []
      const [flat] = await operation.run(pageScript, redisKeyOf(owner), [time(), limit, entries, ...position])
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
