import { createMemoryRecordStore, type RecordStore, type StoredRecord } from '@latchkey/store'

export type Method = 'insert' | 'get' | 'replace' | 'touch' | 'remove' | 'listByOwner' | 'removeByOwner'
type Around = (method: Method, run: () => Promise<unknown>) => Promise<unknown>

/** Wraps every call of a store in `around`: to wait, to count, to fail. */
export function wrapRecordStore(records: RecordStore, around: Around): RecordStore {
  const wrap =
    <Arguments extends unknown[], Result>(method: Method, call: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> =>
      around(method, () => call(...given)) as Promise<Result>
  return {
    capabilities: records.capabilities,
    now: records.now,
    insert: wrap('insert', records.insert),
    get: wrap('get', records.get),
    replace: wrap('replace', records.replace),
    touch: wrap('touch', records.touch),
    remove: wrap('remove', records.remove),
    listByOwner: wrap('listByOwner', records.listByOwner),
    removeByOwner: wrap('removeByOwner', records.removeByOwner),
    ...(records.sweep && { sweep: records.sweep }),
  }
}

let drawn = 20261121

/** Returns a pseudo-random integer below that, the same ones in every run, so that a lost race can be reproduced. */
function draw(below: number): number {
  drawn = (drawn * 48_271) % 2_147_483_647
  return drawn % below
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Each call takes a few turns of the event loop before and after it takes effect, as a network would. */
export function createDelayedRecordStore(now?: () => number): RecordStore {
  const wait = async () => {
    for (let left = draw(4); left > 0; left--) await turn()
  }
  return wrapRecordStore(createMemoryRecordStore(now ? { now } : {}), async (_method, run) => {
    await wait()
    const result = await run()
    await wait()
    return result
  })
}

/** A store with a list of what was inserted, and of the methods that were called and change something. */
export function createRecordedStore(now?: () => number): {
  readonly records: RecordStore
  readonly changes: Method[]
  readonly inserted: StoredRecord[]
} {
  const changes: Method[] = []
  const inserted: StoredRecord[] = []
  const inner = createMemoryRecordStore(now ? { now } : {})
  const insert: RecordStore['insert'] = async (record) => {
    inserted.push({ ...record, version: 1 })
    return inner.insert(record)
  }
  const records = wrapRecordStore({ ...inner, insert }, (method, run) => {
    if (!['get', 'listByOwner'].includes(method)) changes.push(method)
    return run()
  })
  return { records, changes, inserted }
}

/** A clock that stands still until it is advanced. */
export function createClock(): { now: () => number; advance: (seconds: number) => void } {
  let time = 1_800_000_000_000
  return {
    now: () => time,
    advance: (seconds) => {
      time += seconds * 1000
    },
  }
}

/** A promise and the function that resolves it. */
export function createGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
