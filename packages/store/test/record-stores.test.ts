import { createMemoryRecordStore } from '@latchkey/store'
import { describeRecordStore } from '@latchkey/store/testing'
import { describe, test } from 'vitest'
import { createKvRecordStore, type KvClient } from './kv-record-store.ts'

describe('the memory store', () => {
  const store = createMemoryRecordStore()
  describeRecordStore({ describe, test, createStore: () => store })
})

describe('the memory store on its own clock', () => {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const store = createMemoryRecordStore({ now })
  const wait = async (milliseconds: number) => {
    time += milliseconds
  }
  describeRecordStore({ describe, test, createStore: () => store, now, wait })
})

describe('a store on a key-value database', () => {
  const values = new Map<string, string>()
  // The parts are joined with a character that none of them contains, and every call takes a turn of the event loop.
  const join = (path: readonly string[]) => path.join('\0')
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const connect = (): KvClient => ({
    async get(path) {
      await turn()
      return values.get(join(path)) ?? null
    },
    async swap(path, expected, next) {
      await turn()
      if ((values.get(join(path)) ?? null) !== expected) return false
      if (next === null) values.delete(join(path))
      else values.set(join(path), next)
      return true
    },
    async names(path, after, limit) {
      await turn()
      const prefix = `${join(path)}\0`
      const names = [...values.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
      return names
        .filter((name) => name > after)
        .sort()
        .slice(0, limit)
    },
  })
  describeRecordStore({
    describe,
    test,
    createStore: () => createKvRecordStore({ client: connect() }),
    createStoreAt: (now) => createKvRecordStore({ client: connect(), now }),
  })
})
