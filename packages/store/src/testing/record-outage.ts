import type { RecordStore, StoredRecord } from '../record-store.ts'
import { holds, same } from './assertions.ts'
import { type Call, outcomesOf, withinDeadline } from './outage.ts'
import type { RecordBench } from './record-bench.ts'
import { type TestTable, timer } from './test-runner.ts'

/** How long a backend may take to serve its clients again after it was thawed, in milliseconds. */
const recoveryMs = 20_000
/** Late commands are executed at once when a backend goes on. */
const settledMs = 300

export const recordOutages: TestTable<RecordBench> = {
  'an unreachable backend is an outage to every method, never an answer': async ({ unreachable, insert }) => {
    const client = await unreachable()
    if (!client) return
    const outcomes = await outcomesOf(callsOf(client, await insert()))
    for (const { name, answered } of outcomes) holds(!answered, `${name} must reject while the backend is unreachable`)
  },

  'an outage is a StoreError, not the error of the driver': async ({ unreachable, insert }) => {
    const client = await unreachable()
    if (!client) return
    for (const { name, answered, code } of await outcomesOf(callsOf(client, await insert()))) {
      if (!answered) same(code, 'StoreError STORE_UNAVAILABLE', `the name and code of what ${name} rejects with`)
    }
  },

  'an unreachable backend is given up at the deadline': async ({ unreachable, insert, deadlineMs }) => {
    const client = await unreachable()
    if (client) withinDeadline(await outcomesOf(callsOf(client, await insert())), deadlineMs)
  },

  'a frozen backend is given up at the deadline': async ({ store, other, insert, frozen, deadlineMs }) => {
    const record = await insert()
    await other.get(record.key)
    const outcomes = await frozen(() => outcomesOf(callsOf(store, record)))
    if (!outcomes) return
    for (const { name, answered } of outcomes) holds(!answered, `${name} must reject while the backend is frozen`)
    withinDeadline(outcomes, deadlineMs)
    await recovered(store)
  },

  'what was reported as failed is not executed when a frozen backend goes on': async (bench) => {
    const { store, other, insertMany, insert, newRecord, frozen, list } = bench
    const [replaced, touched, removed] = await insertMany(3)
    const owned = await insert()
    const inserted = newRecord()
    if (!replaced || !touched || !removed) return
    const changes: readonly Call[] = [
      ['insert', () => store.insert(inserted)],
      ['replace', () => store.replace(replaced, { ...replaced, value: 'late' })],
      ['touch', () => store.touch(touched, touched.expiresAt + 1000)],
      ['remove', () => store.remove(removed.key)],
      ['removeByOwner', () => store.removeByOwner(owned.owner ?? '')],
    ]
    const outcomes = await frozen(() => outcomesOf(changes))
    if (!outcomes) return
    await Promise.all([recovered(store), recovered(other)])
    await timer(settledMs)
    const failed = new Set(outcomes.filter(({ answered }) => !answered).map(({ name }) => name))
    if (failed.has('insert')) same(await other.get(inserted.key), null, 'the record of the failed insert')
    if (failed.has('replace')) same(await other.get(replaced.key), replaced, 'the record of the failed replace')
    if (failed.has('touch')) same(await other.get(touched.key), touched, 'the record of the failed touch')
    if (failed.has('remove')) same(await other.get(removed.key), removed, 'the record of the failed remove')
    if (failed.has('removeByOwner')) same(await list(owned.owner ?? ''), [owned], 'the records of the owner')
  },
}

function callsOf(store: RecordStore, record: StoredRecord): readonly Call[] {
  const { key, owner } = record
  return [
    ['get', () => store.get(key)],
    ['insert', () => store.insert({ ...record, key: `${key}_2` })],
    ['replace', () => store.replace(record, record)],
    ['touch', () => store.touch(record, record.expiresAt)],
    ['remove', () => store.remove(key)],
    ['listByOwner', () => store.listByOwner(owner ?? '')],
    ['removeByOwner', () => store.removeByOwner(owner ?? '')],
    ...(store.sweep ? [['sweep', async () => store.sweep?.(1)] as const] : []),
  ]
}

/** Resolves when the client is served again. */
async function recovered(store: RecordStore): Promise<void> {
  const end = Date.now() + recoveryMs
  for (;;) {
    try {
      await store.get('kit_unknown')
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await timer(50)
    }
  }
}
