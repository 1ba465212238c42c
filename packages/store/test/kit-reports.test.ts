import {
  createMemoryAuditStore,
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
  type RecordStore,
  StoreError,
} from '@latchkey/store'
import {
  describeAuditStore,
  describeBroadcast,
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
  type StoreKit,
} from '@latchkey/store/testing'
import { collectTests, failuresOf } from '@latchkey/test-services'
import { expect, test } from 'vitest'

/** Runs the tests of the kit on these clients and returns the messages of those that fail, by title. */
function runKit(
  kit: Omit<Parameters<typeof describeRecordStore>[0], 'describe' | 'test'>,
): Promise<ReadonlyMap<string, string>> {
  return failuresOf(collectTests((runner) => describeRecordStore({ ...kit, ...runner })))
}

/** Returns the clients one after the other. */
function inTurn(...clients: readonly RecordStore[]): () => RecordStore {
  let next = 0
  return () => clients[next++ % clients.length]!
}

test.concurrent('a failure that only the other client sees is called a stale read', async () => {
  const store = createMemoryRecordStore()
  // It reads from a snapshot that was taken before anything was written.
  const stale: RecordStore = { ...store, get: async () => null }
  const failures = await runKit({ createStore: inTurn(store, stale) })
  expect(failures.get('an inserted record has version 1 and is read by every client')).toMatch(
    /^the record, to another client: .* With one client alone this passes: a stale read of the other client\?$/s,
  )
  expect(failures.get('a lifetime of 1 ms ends')).toBeUndefined()
})

test.concurrent('a failure of both clients is not called a stale read', async () => {
  const store = createMemoryRecordStore()
  const failures = await runKit({ createStore: () => ({ ...store, touch: async () => false }) })
  expect(failures.get('touch moves the expiry and nothing else')).toMatch(
    /^touch of a record: expected true, got false$/,
  )
})

test.concurrent('a text that comes back cut is reported with both lengths', async () => {
  const store = createMemoryRecordStore()
  const cut: RecordStore = {
    ...store,
    insert: (record) => store.insert({ ...record, value: record.value.slice(0, 65_535) }),
  }
  const failures = await runKit({ createStore: () => cut })
  expect(failures.get('values of every length up to 1 MB come back whole')).toBe(
    'the value must be that of the insert: expected 65536 characters, got 65535',
  )
})

test.concurrent('the kit closes each client once with afterAll, and no client without it', async () => {
  const closed: string[] = []
  const ends: (() => Promise<void>)[] = []
  const client = (name: string): RecordStore => ({
    ...createMemoryRecordStore(),
    close: async () => void closed.push(name),
  })
  const [one, two] = [client('one'), client('two')]
  await runKit({ createStore: inTurn(one, two) })
  expect(closed).toEqual([])
  await runKit({ createStore: inTurn(one, two), createStoreAt: () => one, afterAll: (body) => ends.push(body) })
  await Promise.all(ends.map((end) => end()))
  expect(closed.sort()).toEqual(['one', 'two'])
})

test.concurrent('a sound store passes without unreachable, freeze and createStoreAt, whose tests are skipped', async () => {
  const store = createMemoryRecordStore()
  expect([...(await runKit({ createStore: () => store }))]).toEqual([])
})

const failing = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'no answer', { cause: new Error('EPIPE') }))

/** Runs the kit of documents and returns the messages of the tests that fail, by title. */
function runDocuments(kit: Omit<StoreKit<DocumentStore>, 'describe' | 'test'>): Promise<ReadonlyMap<string, string>> {
  return failuresOf(collectTests((runner) => describeDocumentStore({ ...kit, ...runner })))
}

test.concurrent.each(['document', 'record'])(
  'a call of a %s store that rejects is reported with method, code and cause',
  async (kind) => {
    const failures =
      kind === 'record'
        ? await runKit({ createStore: () => ({ ...createMemoryRecordStore(), replace: failing }) })
        : await runDocuments({ createStore: () => Object.freeze({ ...createMemoryDocumentStore(), replace: failing }) })
    const message = 'replace rejected with StoreError STORE_UNAVAILABLE: no answer (caused by Error: EPIPE)'
    expect([...failures.values()].some((failure) => failure.includes(message))).toBe(true)
  },
)

test.concurrent('the conformance report has what passed, failed and was skipped, and why', async () => {
  const store = createMemoryRecordStore()
  const texts: string[] = []
  const kit = { backend: 'memory 1.0', report: (text: string) => texts.push(text), skip: () => {} }
  const failures = await runKit({ ...kit, createStore: () => ({ ...store, touch: async () => false }) })
  const [text = ''] = texts
  expect(texts).toHaveLength(1)
  expect(text).toContain(`record store, contract 1, on memory 1.0, Node.js ${process.version}`)
  expect(text).toMatch(new RegExp(`^\\d+ passed, ${failures.size} failed, \\d+ skipped$`, 'm'))
  expect(text).toContain('failed: touch moves the expiry and nothing else')
  expect(text).toContain('skipped: a version has more than 32 bits (needs "setVersion")')
  expect(text).toContain('skipped: an unreachable backend is given up at the deadline (needs "unreachable")')
})

test.concurrent('a test whose needs are missing is not run, and its title is reported as skipped', () => {
  const skipped: [string, string][] = []
  const kit = { skip: (title: string, needs: string) => skipped.push([title, needs]) }
  const createStore = () => createMemoryRecordStore()
  const titles = collectTests((runner) => describeRecordStore({ ...runner, ...kit, createStore })).map(
    ({ title }) => title,
  )
  expect(skipped.length).toBeGreaterThan(10)
  expect(skipped).toContainEqual(['what a client whose clock is ahead has removed is gone', '"createStoreAt"'])
  expect(titles.filter((title) => skipped.some(([one]) => one === title))).toEqual([])
})

test.concurrent('an endless list fails its tests, and does not hang the kit', async () => {
  const [records, documents, audit] = [createMemoryRecordStore(), createMemoryDocumentStore(), createMemoryAuditStore()]
  const again = <Page extends object>(page: Page) => ({ cursor: 'again', ...page })
  const failures = [
    await runKit({
      createStore: () => ({ ...records, listByOwner: async (...given) => again(await records.listByOwner(...given)) }),
    }),
    await runDocuments({
      createStore: () => ({ ...documents, list: async (...given) => again(await documents.list(...given)) }),
    }),
    await failuresOf(
      collectTests((runner) =>
        describeAuditStore({
          ...runner,
          createStore: () => ({ ...audit, list: async (...given) => again(await audit.list(...given)) }),
        }),
      ),
    ),
  ]
  for (const found of failures) {
    expect(
      [...found.values()].some((message) => message.includes('must end: it returned the cursor "again" twice')),
    ).toBe(true)
  }
})

test.concurrent('the report of counters names what was skipped, and a test that skips itself is not passed', async () => {
  const texts: string[] = []
  const report = (text: string) => texts.push(text)
  const [counters, broadcast] = [createMemoryCounterStore(), createMemoryBroadcast()]
  await failuresOf(
    collectTests((runner) => {
      describeCounterStore({ ...runner, createStore: () => counters, backend: 'memory 1.0', report })
      describeBroadcast({ ...runner, createBroadcast: () => broadcast, report })
    }),
  )
  expect(texts[0]).toContain('counter store, contract 1, on memory 1.0')
  expect(texts[0]).toContain('skipped: a window ends in the millisecond that it names (needs "now" and "wait")')
  const [, passed, skipped] = /^(\d+) passed, 0 failed, (\d+) skipped$/m.exec(texts[1] ?? '') ?? []
  expect([Number(passed), Number(skipped)]).toEqual([11, 7])
  expect(texts[1]).toContain('skipped: close ends the iterations of its client, and of no other (needs another client')
})

/** An embedded database: the reads of its store always answer, and a lock that another process holds stops every change. */
function createLockable(atDeadline: (change: () => Promise<unknown>) => Promise<never>) {
  const sound = createMemoryDocumentStore()
  let isLocked = false
  const locking = <Given extends unknown[], Answer>(change: (...given: Given) => Promise<Answer>) => {
    return (...given: Given): Promise<Answer> => (isLocked ? atDeadline(() => change(...given)) : change(...given))
  }
  const store: DocumentStore = {
    ...sound,
    insert: locking(sound.insert),
    replace: locking(sound.replace),
    remove: locking(sound.remove),
    removeByOwner: locking(sound.removeByOwner),
  }
  const freeze = () => {
    isLocked = true
  }
  const thaw = () => {
    isLocked = false
  }
  return { createStore: () => store, freeze, thaw, deadlineMs: 50 }
}

test.concurrent('an embedded database whose changes alone can be stopped keeps its tests of deadlines', async () => {
  const reject = async () => failing()
  expect([...(await runDocuments({ ...createLockable(reject), freezes: 'changes' }))]).toEqual([])
  const asIfFrozen = await runDocuments(createLockable(reject))
  expect([...asIfFrozen.keys()]).toEqual(['a frozen backend is given up at the deadline'])
  const waiting = await runDocuments({ ...createLockable(() => new Promise(() => {})), freezes: 'changes' })
  expect([...waiting.keys()]).toContain('a frozen backend is given up at the deadline')
  const late = async (change: () => Promise<unknown>) => {
    setTimeout(change, 100)
    return failing()
  }
  const executed = await runDocuments({ ...createLockable(late), freezes: 'changes' })
  expect([...executed.keys()]).toEqual(['what was reported as failed is not executed when a frozen backend goes on'])
})

test.concurrent('a factory that rejects with a StoreError while its backend is unreachable passes', async () => {
  const store = createMemoryDocumentStore()
  const kit = { createStore: () => store, deadlineMs: 50 }
  expect([...(await runDocuments({ ...kit, unreachable: failing }))]).toEqual([])
  const ofDriver = await runDocuments({ ...kit, unreachable: () => Promise.reject(new Error('ECONNREFUSED')) })
  expect([...ofDriver.keys()]).toEqual(['an outage is a StoreError, not the error of the driver'])
  const silent = await runDocuments({ ...kit, unreachable: () => new Promise(() => {}) })
  expect([...silent.keys()]).toContain('an unreachable backend is given up at the deadline')
})
