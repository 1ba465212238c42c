import { randomToken } from '@latchkey/bytes'
import type { NewRecord, RecordStore, StoredRecord } from '../record-store.ts'
import { type KitClock, pairOnce, timer } from './test-runner.ts'

/** What the tests of record stores work with: two clients of one backend, fresh names, and time. */
export interface RecordBench {
  /** One client. */
  readonly store: RecordStore
  /** Another client of the same backend. */
  readonly other: RecordStore
  /** A record with a fresh key and owner, a lifetime of an hour, and these fields. */
  newRecord(fields?: Partial<NewRecord>): NewRecord
  /** Inserts a fresh record. */
  insert(fields?: Partial<NewRecord>): Promise<StoredRecord>
  insertMany(count: number, fields?: Partial<NewRecord>): Promise<readonly StoredRecord[]>
  newOwner(): string
  /** Every record of the owner, over all pages. */
  list(owner: string, limit?: number): Promise<readonly StoredRecord[]>
  /** Makes calls in parallel, half of them through each client. */
  race<T>(calls: number, call: (client: RecordStore, index: number) => Promise<T>): Promise<T[]>
  now(): number
  /** Resolves when a record with a lifetime of so many milliseconds must have expired. */
  outlive(milliseconds: number): Promise<void>
}

export function createRecordBench(
  createStore: () => RecordStore | Promise<RecordStore>,
  { now = Date.now, wait = timer }: KitClock,
): () => Promise<RecordBench> {
  const connect = pairOnce(createStore)
  const newKey = () => `kit_${randomToken(16)}`
  const newOwner = () => `owner_${randomToken(16)}`
  return async () => {
    const [store, other] = await connect()
    const newRecord = (fields: Partial<NewRecord> = {}): NewRecord => {
      return { key: newKey(), owner: newOwner(), expiresAt: now() + 3_600_000, value: 'first', ...fields }
    }
    const insert = async (fields: Partial<NewRecord> = {}): Promise<StoredRecord> => {
      const record = newRecord(fields)
      if (!(await store.insert(record))) throw new Error('insert of a fresh key must be true')
      return { ...record, version: 1 }
    }
    return {
      store,
      other,
      newRecord,
      newOwner,
      insert,
      now,
      insertMany: (count, fields = {}) => Promise.all(Array.from({ length: count }, () => insert(fields))),
      list: (owner, limit) => listPages(other, owner, limit),
      race: (calls, call) =>
        Promise.all(Array.from({ length: calls }, (_none, index) => call(index % 2 ? other : store, index))),
      // Two milliseconds more: a timer may fire one early, and clocks count whole milliseconds.
      outlive: (milliseconds) => wait(milliseconds + store.capabilities.expiryGranularityMs + 2),
    }
  }
}

async function listPages(store: RecordStore, owner: string, limit?: number): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 1000; pages++) {
    const page = await store.listByOwner(owner, { ...(limit && { limit }), ...(cursor !== undefined && { cursor }) })
    if (page.items.length > (limit ?? 100)) throw new Error('a page must not be longer than its limit')
    found.push(...page.items)
    cursor = page.cursor
    if (cursor === undefined) return found
  }
  throw new Error('a listing must end')
}

export function keysOf(records: readonly Pick<StoredRecord, 'key'>[]): readonly string[] {
  return records.map(({ key }) => key).sort()
}
