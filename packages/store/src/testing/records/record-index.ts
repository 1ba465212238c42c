import type { NewRecord, RecordStore } from '../../record-store.ts'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

const minute = 60_000
const hour = 60 * minute
/** Longer than the grace of an index, in which it keeps an entry past its expiry: 60 s by the contract. */
const beyondGrace = 10 * minute

/** Gives a record another expiry, by a client at some instant. Returns whether the store has it. */
type Prolong = (client: RecordStore, record: NewRecord, expiresAt: number, bench: RecordBench) => Promise<boolean>

/** They need a client on a clock that the kit sets: `createStoreAt`, or `now` and `wait`. */
export const recordIndex: TestTable<RecordBench> = {
  'a touched record stays listed beyond the grace of its index, 60 s after its first expiry': (bench) =>
    outliveGrace(bench, 'touch', (client, record, expiresAt) => client.touch(record, expiresAt)),

  'a replaced record stays listed beyond the grace of its index, 60 s after its first expiry': (bench) =>
    outliveGrace(bench, 'replace', (client, record, expiresAt) =>
      client.replace({ ...record, version: 1 }, { value: 'second', expiresAt }),
    ),

  'a record over an expired one stays listed beyond the grace of its index, 60 s after the first expiry': (bench) =>
    outliveGrace(bench, 'insert', async ({ capabilities }, record, expiresAt, { at }) => {
      const late = await at(record.expiresAt + capabilities.expiryGranularityMs)
      return (await late?.insert({ ...record, expiresAt })) ?? false
    }),
}

/** Also in the past, for an index that goes by the clock of its backend as well. */
async function outliveGrace(bench: RecordBench, method: string, prolong: Prolong): Promise<void> {
  const { now, ahead } = bench
  await outliveGraceFrom(bench, now(), method, prolong)
  if (await ahead(0)) await outliveGraceFrom(bench, now() - 2 * hour, method, prolong)
}

async function outliveGraceFrom(bench: RecordBench, start: number, method: string, prolong: Prolong): Promise<void> {
  const { store, newRecord, newOwner, now, at } = bench
  const owner = newOwner()
  const record = newRecord({ owner, expiresAt: start + minute })
  const early = await at(start)
  if (!early) throw new Error('the clock could not be set to the instant')
  await early.insert(record)
  // A backend with expiry of its own may keep no record of the past.
  if (start < now() && (await early.get(record.key)) === null) return
  same(await prolong(early, record, now() + hour, bench), true, `${method} of the record`)
  const late = await at(record.expiresAt + beyondGrace)
  if (!late) throw new Error('the clock could not be set to the instant')
  // Indexes are cleaned up by inserts, listings and sweeps.
  const next = newRecord({ owner, expiresAt: now() + hour })
  await late.insert(next)
  await late.listByOwner(owner)
  for (let round = 0; round < 50 && ((await late.sweep?.(1000)) ?? 0) > 0; round++);
  const rule = `its entry in the index must get the expiry that ${method} sets`
  holds((await late.get(record.key)) !== null, `the record must live until the expiry that ${method} sets`)
  same(keysOf((await late.listByOwner(owner)).items), keysOf([record, next]), `the listed keys: ${rule}`)
  same(await late.removeByOwner(owner), 2, `the count of removeByOwner: ${rule}`)
  same(await store.get(record.key), null, 'the record after removeByOwner')
}
