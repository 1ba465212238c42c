import { pause } from '@latchkey/core/internal'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'
import { inTime } from './record-expiry.ts'

const hour = 3_600_000
const soonMs = 300

/** Records that are prolonged, swept and read at once. */
export const recordSweeps: TestTable<RecordBench> = {
  'a sweep leaves what a touch or a replace has prolonged': async (bench) => {
    const { store, other, insertMany, now, outlive } = bench
    const expiresAt = now() + hour
    const { touched, replaced, lifetime } = await inTime(bench, async (soon) => {
      const [touched, replaced] = [await insertMany(5, { expiresAt: soon }), await insertMany(5, { expiresAt: soon })]
      await Promise.all(touched.map((record) => store.touch(record, expiresAt)))
      await Promise.all(replaced.map((record) => other.replace(record, { value: 'second', expiresAt })))
      return { touched, replaced }
    })
    await outlive(lifetime)
    await sweepAll(bench)
    for (const record of touched) same(await other.get(record.key), { ...record, expiresAt }, 'a record after a touch')
    for (const record of replaced) {
      same(
        await store.get(record.key),
        { ...record, value: 'second', version: 2, expiresAt },
        'a record after a replace',
      )
    }
  },

  'a sweep that removes fewer than its limit has left none': async ({ store, insertMany, now, outlive }) => {
    const expired = await insertMany(7, { expiresAt: now() + 1 })
    await outlive(1)
    for (let round = 0; round < 1000; round++) if (((await store.sweep?.(3)) ?? 0) < 3) break
    if (!store.sweep) return
    for (const { key } of expired) same(await store.remove(key), false, 'remove of a record that a sweep has removed')
  },

  'a sweep beside inserts over expired records keeps the new ones': async (bench) => {
    const { store, other, insertMany, now, outlive } = bench
    for (let round = 0; round < 3; round++) {
      const expired = await insertMany(20, { expiresAt: now() + 1 })
      await outlive(1)
      const sweeps = Array.from({ length: 10 }, async (_none, index) => {
        await pause(index * 4)
        await other.sweep?.(100)
      })
      const inserts = expired.map(async ({ version: _version, ...record }, index) => {
        await pause(index * 2)
        return (await store.insert({ ...record, expiresAt: now() + hour })) ? [record.key] : []
      })
      const inserted = (await Promise.all(inserts)).flat()
      await Promise.all(sweeps)
      const found = await Promise.all(inserted.map((key) => store.get(key)))
      holds(
        found.every((record) => record !== null),
        'sweep must not remove a record that was inserted over an expired one',
      )
    }
  },

  'a reader sees a record at every moment of its touches and replaces': async ({ store, other, insert, now }) => {
    const record = await insert()
    const read = async () => {
      holds((await other.get(record.key)) !== null, 'get must return the record while it is touched and replaced')
      const { items } = await other.listByOwner(record.owner ?? '')
      same(keysOf(items), [record.key], 'listByOwner while the record is touched and replaced')
    }
    let isOver = false
    const changes = (async () => {
      for (let version = 1; version <= 40; version++) {
        await store.touch(record, now() + hour)
        await store.replace({ ...record, version }, { value: `${version}`, expiresAt: now() + hour })
      }
    })().finally(() => {
      isOver = true
    })
    const reads = async () => {
      while (!isOver) {
        await read()
        // Reads that answer at once would leave the changes no turn.
        await pause(0)
      }
    }
    await Promise.all([changes, reads()])
  },

  'a listing reaches live records behind expired ones': async ({ insertMany, newOwner, now, outlive, list }) => {
    const owner = newOwner()
    const live = await insertMany(3, { owner })
    await insertMany(12, { owner, expiresAt: now() + soonMs })
    const more = await insertMany(3, { owner })
    await outlive(soonMs)
    for (const limit of [1, 2, 5]) {
      same(keysOf(await list(owner, limit)), keysOf([...live, ...more]), `the keys in pages of ${limit}`)
    }
  },
}

/** Sweeps until no record is left, with a limit: a store that always returns its limit must not hang the kit. */
async function sweepAll({ store }: RecordBench): Promise<void> {
  for (let round = 0; round < 100; round++) if (((await store.sweep?.(1000)) ?? 0) === 0) return
}
