import { randomToken } from '@latchkey/bytes'
import { pause } from '@latchkey/core/internal'
import type { NewRecord, RecordStore, StoredRecord } from '../../record-store.ts'
import { readPages } from '../read-pages.ts'
import type { StoreKit } from '../store-kit.ts'
import { namingFailures, pairOnce } from '../test-runner.ts'

/** The kit without its runner, for the bench. */
export interface RecordBackend
  extends Pick<StoreKit<RecordStore>, 'createStore' | 'createStoreElsewhere' | 'now' | 'wait'> {
  readonly createStoreAt?: (now: () => number) => RecordStore | Promise<RecordStore>
  readonly setVersion?: (key: string, version: number) => Promise<unknown>
}

/** The two clients of one backend, fresh names and times for the tests of record stores. */
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
  /** The clock of the store. */
  now(): number
  /** Returns a client of the same backend whose clock is this far ahead; `null` if the store takes no clock. */
  ahead(milliseconds: number): Promise<RecordStore | null>
  /**
   * A client of the same backend at that instant; `null` when the clock cannot be set. It is the same client each time:
   * use what it returned last only.
   */
  at(instant: number): Promise<RecordStore | null>
  /** Sets the version of a record in the backend; `false` when the kit cannot. */
  setVersion(key: string, version: number): Promise<boolean>
  /** The same with one client in both roles. */
  alone(): RecordBench
  /** The same with each client wrapped. */
  through(wrap: (client: RecordStore, name: string) => RecordStore): RecordBench
  /** Resolves after these milliseconds on the clock of the store. */
  wait(milliseconds: number): Promise<void>
  /**
   * Resolves when a record with this lifetime in milliseconds must have expired. With a given clock it waits two
   * milliseconds longer: a timer may fire early, and clocks count whole milliseconds.
   */
  outlive(milliseconds: number): Promise<void>
}

/** How far a client's `now` may be from its backend's clock: an estimate from answers that took some time. */
const estimateMs = 25
/** Inserted in parallel: a pool of connections serves its queue before the deadline. */
const atOnce = 50

export function createRecordBench(backend: RecordBackend): () => Promise<RecordBench> {
  const started = (create: RecordBackend['createStore']) => async () => {
    const store = await create()
    // A client learns its backend's time with the first answer.
    await store.get('kit_unknown')
    return store
  }
  const { createStore, createStoreElsewhere = createStore } = backend
  const connect = pairOnce(started(createStore), started(createStoreElsewhere))
  const at = createMovedClient(backend)
  return async () => {
    const [store, other] = await connect()
    return openBench(backend, namingFailures(store), namingFailures(other), at)
  }
}

function openBench(
  { now: given, wait = pause, createStoreAt, ...backend }: RecordBackend,
  store: RecordStore,
  other: RecordStore,
  at: (instant: number, store: RecordStore) => Promise<RecordStore | null>,
): RecordBench {
  const newOwner = () => `owner_${randomToken(16)}`
  const now = given ?? (() => store.now())
  const newRecord = (fields: Partial<NewRecord> = {}): NewRecord => {
    const key = `kit_${randomToken(16)}`
    return { key, owner: newOwner(), expiresAt: now() + 3_600_000, value: 'first', ...fields }
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
    wait,
    ahead: async (milliseconds) => {
      const client = await createStoreAt?.(() => now() + milliseconds)
      return client ? namingFailures(client) : null
    },
    at: (instant) => at(instant, store),
    setVersion: async (key, version) => {
      await backend.setVersion?.(key, version)
      return backend.setVersion !== undefined
    },
    alone: () => openBench({ ...backend, wait, ...(given && { now: given }) }, store, store, at),
    through: (wrap) =>
      openBench(
        { ...backend, wait, ...(given && { now: given }) },
        wrap(store, 'client 1'),
        wrap(other, 'client 2'),
        at,
      ),
    insertMany: async (count, fields = {}) => {
      const records: StoredRecord[] = []
      while (records.length < count) {
        const step = Array.from({ length: Math.min(atOnce, count - records.length) }, () => insert(fields))
        records.push(...(await Promise.all(step)))
      }
      return records
    },
    list: (owner, limit) => listPages(other, owner, limit),
    race: (calls, call) =>
      Promise.all(Array.from({ length: calls }, (_none, index) => call(index % 2 ? other : store, index))),
    outlive: (milliseconds) => wait(milliseconds + store.capabilities.expiryGranularityMs + (given ? 2 : estimateMs)),
  }
}

/**
 * Returns a function that moves a client to an instant: another client, or the stores under test if the kit has their
 * clock.
 */
function createMovedClient({
  createStoreAt,
  now,
  wait,
}: RecordBackend): (instant: number, store: RecordStore) => Promise<RecordStore | null> {
  let time = 0
  let client: Promise<RecordStore> | undefined
  return async (instant, store) => {
    if (createStoreAt) {
      time = instant
      client ??= Promise.resolve(createStoreAt(() => time)).then(namingFailures)
      return client
    }
    if (!now || !wait) return null
    await wait(instant - now())
    return now() === instant ? store : null
  }
}

function listPages(store: RecordStore, owner: string, limit?: number): Promise<readonly StoredRecord[]> {
  return readPages('listByOwner', limit ?? 100, (page) =>
    store.listByOwner(owner, { ...(limit && { limit }), ...page }),
  )
}

export function keysOf(records: readonly Pick<StoredRecord, 'key'>[]): readonly string[] {
  return records.map(({ key }) => key).sort()
}
