import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

/** The last millisecond of the year 9999: beyond 32 bits of seconds and of milliseconds. */
const farFuture = 253_402_300_799_999

export const recordExpiry: TestTable<RecordBench> = {
  'a lifetime of 1 ms ends': async ({ store, insert, now, outlive, list }) => {
    const record = await insert({ expiresAt: now() + 1 })
    await outlive(1)
    same(await store.get(record.key), null, 'the record')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'a lifetime of 999 ms is neither zero nor unlimited': async ({ store, insert, now, outlive }) => {
    const record = await insert({ expiresAt: now() + 999 })
    same(await store.get(record.key), record, 'the record at first')
    await outlive(999)
    same(await store.get(record.key), null, 'the record afterwards')
  },

  'an expiry in the far future is kept to the millisecond': async ({ store, insert, outlive, list }) => {
    const record = await insert({ expiresAt: farFuture })
    await outlive(1)
    same(await store.get(record.key), record, 'the record')
    same(await store.touch(record, farFuture - 1), true, 'touch')
    same(await store.get(record.key), { ...record, expiresAt: farFuture - 1 }, 'the touched record')
    same(await list(record.owner ?? ''), [{ ...record, expiresAt: farFuture - 1 }], 'the listing of its owner')
    await store.remove(record.key)
  },

  'a record that is inserted expired is absent': async ({ store, newRecord, now, outlive, list }) => {
    const record = newRecord({ expiresAt: now() - 1 })
    await store.insert(record)
    await outlive(0)
    same(await store.get(record.key), null, 'the record')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'an expired record is absent until it is removed': async ({ store, other, insert, now, outlive, list }) => {
    const record = await insert({ expiresAt: now() + 1 })
    await outlive(1)
    const later = now() + 3_600_000
    same(await store.replace(record, { value: 'second', expiresAt: later }), false, 'replace')
    same(await other.touch(record, later), false, 'touch')
    same(await other.get(record.key), null, 'the record')
    same(await list(record.owner ?? ''), [], 'the listing of its owner')
  },

  'an expired record may be removed, and is removed once at most': async ({
    store,
    other,
    insertMany,
    newOwner,
    ...bench
  }) => {
    const owner = newOwner()
    const [one, ...others] = await insertMany(4, { owner, expiresAt: bench.now() + 1 })
    await bench.outlive(1)
    const outcomes = [await other.remove(one?.key ?? ''), await store.remove(one?.key ?? '')]
    holds(outcomes.filter(Boolean).length <= 1, 'remove must be true once at most')
    const counts = [await other.removeByOwner(owner), await store.removeByOwner(owner)]
    holds((counts[0] ?? 0) <= others.length && counts[1] === 0, 'removeByOwner must count a record once at most')
    for (const { key } of others) same(await store.remove(key), false, 'remove of what removeByOwner has removed')
  },

  'an expired record does not prevent a new one': async ({ store, other, insert, now, outlive, list, newOwner }) => {
    const expired = await insert({ expiresAt: now() + 1 })
    await outlive(1)
    const record = { ...expired, owner: newOwner(), expiresAt: now() + 3_600_000, value: 'second' }
    same(await other.insert(record), true, 'insert of the same key')
    same(await store.get(record.key), { ...record, version: 1 }, 'the new record')
    same(await list(record.owner), [{ ...record, version: 1 }], 'the listing of the new owner')
    same(await list(expired.owner ?? ''), [], 'the listing of the old owner')
    same(await store.removeByOwner(expired.owner ?? ''), 0, 'the count of the old owner')
    same(await other.get(record.key), { ...record, version: 1 }, 'the new record after that')
  },

  'an insert over an expired record keeps nothing of it': async (bench) => {
    const { store, other, insert, now, outlive, newOwner, list } = bench
    const owners = [newOwner(), null, newOwner()]
    for (const owner of owners) {
      const { expired, lifetime } = await inTime(bench, async (soon) => {
        const expired = await insert({ expiresAt: soon, owner: owner === null ? newOwner() : null })
        await store.replace(expired, { value: 'second', expiresAt: soon })
        return { expired }
      })
      await outlive(lifetime)
      const record = { ...expired, owner, expiresAt: now() + 3_600_000, value: 'new' }
      same(await other.insert(record), true, 'insert of the same key')
      same(await store.get(record.key), { ...record, version: 1 }, 'the new record')
      if (owner !== null) same(await list(owner), [{ ...record, version: 1 }], 'the listing of the new owner')
    }
  },

  'a touch keeps a record alive beyond its first expiry, and listed': async (bench) => {
    const { store, other, insert, now, outlive, list } = bench
    const expiresAt = now() + 3_600_000
    const { record, touched, lifetime } = await inTime(bench, async (soon) => {
      const record = await insert({ expiresAt: soon })
      return { record, touched: await other.touch(record, expiresAt) }
    })
    same(touched, true, 'touch')
    await outlive(lifetime)
    same(await store.get(record.key), { ...record, expiresAt }, 'the record')
    same(await list(record.owner ?? ''), [{ ...record, expiresAt }], 'the listing of its owner')
    same(await store.removeByOwner(record.owner ?? ''), 1, 'the count of removeByOwner')
  },

  'a replace keeps a record alive beyond its first expiry, and listed': async (bench) => {
    const { store, other, insert, now, outlive, list } = bench
    const next = { value: 'second', expiresAt: now() + 3_600_000 }
    const { record, replaced, lifetime } = await inTime(bench, async (soon) => {
      const record = await insert({ expiresAt: soon })
      return { record, replaced: await other.replace(record, next) }
    })
    same(replaced, true, 'replace')
    await outlive(lifetime)
    same(await list(record.owner ?? ''), [{ ...record, ...next, version: 2 }], 'the listing of its owner')
    same(await store.removeByOwner(record.owner ?? ''), 1, 'the count of removeByOwner')
  },

  'touch and replace can end a record': async ({ store, insert, now, outlive }) => {
    const [touched, replaced] = [await insert(), await insert()]
    await store.touch(touched, now() - 1)
    await store.replace(replaced, { value: 'second', expiresAt: now() - 1 })
    await outlive(0)
    same([await store.get(touched.key), await store.get(replaced.key)], [null, null], 'both records')
  },

  'a store without native expiry has a sweep': async ({ store }) => {
    holds(store.capabilities.nativeExpiry || store.sweep !== undefined, 'without native expiry, sweep is required')
  },

  'a sweep removes expired records in bounded steps, and no other': async (bench) => {
    const { store, insert, insertMany, outlive } = bench
    if (!store.sweep) return
    const alive = await insert()
    // All inserted before one of them expires, because an insert may sweep too.
    const { lifetime } = await inTime(bench, async (soon) => ({ made: await insertMany(5, { expiresAt: soon }) }))
    await outlive(lifetime)
    const first = await store.sweep(2)
    holds(first <= 2, 'a sweep must remove at most as many as it is allowed')
    let swept = first
    for (let round = 0; round < 500 && swept < 5; round++) swept += await store.sweep(1000)
    holds(swept >= 5, 'repeated sweeps must remove every expired record')
    let last = 1000
    for (let round = 0; round < 500 && last === 1000; round++) last = await store.sweep(1000)
    holds(
      last < 1000,
      'sweep must return how many records it has removed: its limit again and again says that more are left',
    )
    same(await store.get(alive.key), alive, 'a record that has not expired')
  },
}

/**
 * Uses records that expire soon, and returns the outcome and their lifetime. If the machine was slower than the
 * lifetime, the outcome proves no fault of the store, and the test is repeated with a longer lifetime.
 */
export async function inTime<Made extends object>(
  { now }: RecordBench,
  act: (soon: number) => Promise<Made>,
): Promise<Made & { readonly lifetime: number }> {
  for (let lifetime = 200; ; lifetime *= 4) {
    const soon = now() + lifetime
    const made = await act(soon)
    if (now() < soon || lifetime > 10_000) return { ...made, lifetime }
  }
}
