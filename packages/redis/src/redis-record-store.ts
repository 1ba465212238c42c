import type { Page, RecordStore, StoredRecord } from '@latchkey/store'
import { createOwnerIndex, type IndexEntry } from './owner-index.ts'
import { getScript, insertScript, removeScript, replaceScript, touchScript } from './record-scripts.ts'
import type { Operation, ScriptRunner } from './script-runner.ts'

export interface RedisRecordStoreOptions {
  readonly runner: ScriptRunner
  /** The clock of the stores; `null` for the clock of the server. */
  readonly now: (() => number) | null
  readonly prefix: string
  readonly consistency: RecordStore['capabilities']['consistency']
}

/** The number of records of an owner in one batch of a removal: each batch has its own deadline. */
const batch = 200

export function createRedisRecordStore({ runner, now, prefix, consistency }: RedisRecordStoreOptions): RecordStore {
  const time = now ?? (() => '' as const)
  const index = createOwnerIndex(prefix, time)
  const redisKeyOf = (key: string) => `${prefix}record:${key}`

  async function find(operation: Operation, key: string): Promise<StoredRecord | null> {
    const [owner, version, expires, value] = await operation.run(getScript, redisKeyOf(key), [time()])
    if (version == null) return null
    return {
      key,
      owner: owner == null ? null : String(owner),
      version: Number(version),
      expiresAt: Number(expires),
      value: String(value),
    }
  }

  async function drop(operation: Operation, key: string, owners: readonly string[]): Promise<string | boolean> {
    const [removed, owner] = await operation.run(removeScript, redisKeyOf(key), owners)
    return removed === '1' && (owner == null || String(owner))
  }

  async function removeBatch(owner: string, entries: readonly IndexEntry[], except?: string): Promise<number> {
    const operation = runner.begin()
    const keys = entries.map(({ key }) => key).filter((key) => key !== except)
    const outcomes = await Promise.all(keys.map((key) => drop(operation, key, [owner])))
    const removed = keys.filter((_key, position) => outcomes[position] !== false)
    if (removed.length > 0) await operation.replicate()
    startLeaving(operation, owner, removed)
    return removed.length
  }

  /**
   * Removes index entries in the background. Callers wait for the removal of the records only: a leftover entry lists
   * no record, and is removed after its expiry.
   */
  function startLeaving(operation: Operation, owner: string, keys: readonly string[]): void {
    index.leave(operation, owner, keys).catch(() => {})
  }

  return {
    capabilities: {
      contract: 1,
      consistency,
      nativeExpiry: true,
      expiryGranularityMs: 1,
      ...(now && { clock: 'given' }),
    },
    now: now === null ? runner.now : () => Math.trunc(now()),
    async insert({ key, owner, expiresAt, value }) {
      for (const text of [key, owner ?? '', value]) checkText(text)
      const operation = runner.begin()
      if (owner !== null) await index.enter(operation, owner, key, expiresAt)
      const owners = owner === null ? [] : [owner]
      const args = [time(), expiresAt, value, ...owners]
      return isDone(operation, await operation.run(insertScript, redisKeyOf(key), args))
    },
    get: async (key) => find(runner.begin(), key),
    async replace({ key, version, owner }, { value, expiresAt }) {
      checkText(value)
      const operation = runner.begin()
      if (owner !== null) await index.raise(operation, owner, key, expiresAt)
      const args = [time(), version, expiresAt, value]
      return isDone(operation, await operation.run(replaceScript, redisKeyOf(key), args))
    },
    async touch({ key, owner }, expiresAt) {
      const operation = runner.begin()
      if (owner !== null) await index.raise(operation, owner, key, expiresAt)
      // On a replica without this change the record expires earlier, which is safe.
      const [touched] = await operation.run(touchScript, redisKeyOf(key), [time(), expiresAt])
      return touched === '1'
    },
    async remove(key) {
      const operation = runner.begin()
      const owner = await drop(operation, key, [])
      if (owner === false) return false
      await operation.replicate()
      if (typeof owner === 'string') startLeaving(operation, owner, [key])
      return true
    },
    async listByOwner(owner, { limit = 100, cursor }: Page = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('"limit" must be an integer of at least 1')
      const operation = runner.begin()
      // One more than the limit, to know whether there are more.
      const entries = await index.page(operation, owner, {
        limit: limit + 1,
        after: readCursor(cursor),
        entries: 'living',
      })
      const page = entries.slice(0, limit)
      const found = await Promise.all(page.map(({ key }) => find(operation, key)))
      const items = found.flatMap((record) => (record?.owner === owner ? [record] : []))
      const last = page.at(-1)
      return entries.length > limit && last ? { items, cursor: writeCursor(last) } : { items }
    },
    async removeByOwner(owner, { except } = {}) {
      let after: IndexEntry | null = null
      let count = 0
      for (;;) {
        const entries: IndexEntry[] = await index.page(runner.begin(), owner, {
          limit: batch,
          after,
          entries: 'all',
        })
        count += await removeBatch(owner, entries, except)
        after = entries.at(-1) ?? null
        if (entries.length < batch) return count
      }
    },
  }
}

async function isDone(operation: Operation, [done]: readonly unknown[]): Promise<boolean> {
  if (done !== '1') return false
  await operation.replicate()
  return true
}

/** A lone surrogate has no UTF-8 encoding: another text would be returned than was stored. */
function checkText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('key, owner and value must be well-formed Unicode')
}

function writeCursor({ score, key }: IndexEntry): string {
  return `${score}:${key}`
}

function readCursor(cursor: string | undefined): IndexEntry | null {
  if (cursor === undefined) return null
  const [, score, key] = /^([\d.e+-]+):(.*)/s.exec(cursor) ?? []
  if (score === undefined || key === undefined) throw new TypeError('"cursor" must be one that a page gave')
  return { score, key }
}
