import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeAccountStore } from '@latchkey/accounts/testing'
import {
  describeAuditStore,
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
} from '@latchkey/store/testing'
import { afterAll, describe, test } from 'vitest'
import { createLmdbStores, type LmdbStores } from '../src/lmdb-stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-lmdb-'))
const opened: LmdbStores[] = []
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()))
  rmSync(folder, { recursive: true })
})

let time = Date.UTC(2026, 0, 1)
const clock = {
  now: () => time,
  wait: async (milliseconds: number) => {
    time += milliseconds
  },
}

function open(path = join(folder, 'kits'), now = clock.now): LmdbStores {
  const stores = createLmdbStores({ path, now, deadlineMs: 2000 })
  opened.push(stores)
  return stores
}
const nowhere = '/dev/null/nowhere'
const kit = { describe, test, deadlineMs: 2000 }

describe('the stores on LMDB', () => {
  describeRecordStore({
    ...kit,
    ...clock,
    createStore: () => open().records,
    createStoreAt: (now) => open(undefined, now).records,
    unreachable: () => open(nowhere).records,
  })
  describeDocumentStore({ ...kit, createStore: () => open().documents, unreachable: () => open(nowhere).documents })
  describeCounterStore({
    ...kit,
    ...clock,
    createStore: () => open().counters,
    unreachable: () => open(nowhere).counters,
  })
  describeAccountStore({
    ...kit,
    ...clock,
    createStore: () => open().accounts,
    optional: ['getMany', 'reservations', 'identities'],
    unreachable: () => open(nowhere).accounts,
  })
  describeAuditStore({ ...kit, createStore: () => open().audit, unreachable: () => open(nowhere).audit })
})
