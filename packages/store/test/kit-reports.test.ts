import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describeRecordStore, type RecordStoreKit } from '@latchkey/store/testing'
import { collectTests, failuresOf } from '@latchkey/test-services'
import { expect, test } from 'vitest'

/** Runs the tests of the kit on these clients and returns the messages of those that fail, by title. */
function runKit(kit: Omit<RecordStoreKit, 'describe' | 'test'>): Promise<ReadonlyMap<string, string>> {
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

test.concurrent('with afterAll the kit closes each client once, and without it none', async () => {
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

test.concurrent('what is not given is not tested: without unreachable, freeze and createStoreAt a sound store passes', async () => {
  const store = createMemoryRecordStore()
  expect([...(await runKit({ createStore: () => store }))]).toEqual([])
})
