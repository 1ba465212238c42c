import {
  type CounterStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  type DocumentStore,
} from '@latchkey/store'
import { createStoreInProcess } from '@latchkey/store/node'
import { describeCounterStore, describeDocumentStore } from '@latchkey/store/testing'
import { collectTests, failuresOf } from '@latchkey/test-services'
import { expect, test } from 'vitest'

const at = (name: string) => new URL(`../fixtures/${name}`, import.meta.url)

test('the kit with a client in another process finds documents that are kept in the memory of one', async () => {
  const store = createMemoryDocumentStore()
  const kit = {
    createStore: () => store,
    createStoreElsewhere: () => createStoreInProcess<DocumentStore>(at('per-process-store.ts')),
  }
  const tests = collectTests((runner) => describeDocumentStore({ ...runner, ...kit }))
  const failures = await failuresOf(tests.filter(({ group }) => group === 'contract'))
  expect(failures.get('an inserted document is read by its collection and id')).toContain('get of an inserted document')
})

test('the kit with a client in another process finds counters that are kept in the memory of one', async () => {
  const store = createMemoryCounterStore()
  const createStoreElsewhere = () => createStoreInProcess<CounterStore>(at('per-process-counters.ts'))
  const tests = collectTests((runner) =>
    describeCounterStore({ ...runner, createStore: () => store, createStoreElsewhere }),
  )
  const failures = await failuresOf(tests.filter(({ group }) => group === 'windows' || group === 'concurrency'))
  expect(failures.get('hits count up, over every client')).toBe('the second hit: expected 2, got 1')
  expect(failures.get('no parallel hit is lost, and each sees a count of its own')).toMatch(/^the counts: expected/)
})
