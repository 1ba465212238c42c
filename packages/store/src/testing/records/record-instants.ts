import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

const minute = 60_000
const hour = 60 * minute

const noClock = 'the clock could not be set to the instant'

/** They need a client on a clock that the kit sets: `createStoreAt`, or `now` and `wait`. */
export const recordInstants: TestTable<RecordBench> = {
  'a record lives until the millisecond before its expiry': async ({ insert, now, at, list }) => {
    const record = await insert({ expiresAt: now() + minute })
    const late = await at(record.expiresAt - 1)
    if (!late) throw new Error(noClock)
    same(await late.get(record.key), record, 'the record, 1 ms before its expiry')
    same((await late.listByOwner(record.owner ?? '')).items, [record], 'the listing, 1 ms before its expiry')
    same(await late.touch(record, record.expiresAt), true, 'touch, 1 ms before its expiry')
    same(await late.replace(record, { ...record, expiresAt: record.expiresAt + hour }), true, 'replace at that time')
    same((await list(record.owner ?? '')).length, 1, 'the number of listed records')
  },

  'a record is absent from the millisecond of its expiry on': async ({ insertMany, newOwner, now, at }) => {
    const expiresAt = now() + minute
    const owner = newOwner()
    const [record, other] = await insertMany(2, { owner, expiresAt })
    const late = await at(expiresAt)
    if (!late || !record || !other) throw new Error(noClock)
    if (late.capabilities.expiryGranularityMs > 1) return
    same(await late.get(record.key), null, 'the record, at its expiry')
    same((await late.listByOwner(owner)).items, [], 'the listing, at its expiry')
    same(await late.touch(record, expiresAt + hour), false, 'touch, at its expiry')
    same(await late.replace(record, { ...record, expiresAt: expiresAt + hour }), false, 'replace, at its expiry')
    same(await late.insert({ ...other, expiresAt: expiresAt + hour }), true, 'insert of the key, at its expiry')
  },

  'a sweep leaves what has a millisecond to live': async ({ insert, now, at }) => {
    const record = await insert({ expiresAt: now() + minute })
    const late = await at(record.expiresAt - 1)
    if (!late) throw new Error(noClock)
    if (!late.sweep) return
    for (let round = 0; round < 50 && (await late.sweep(1000)) > 0; round++);
    same(await late.get(record.key), record, 'the record')
  },

  'a record that touches at once leave alive is listed while it lives': async ({
    insertMany,
    newOwner,
    now,
    ...bench
  }) => {
    const owner = newOwner()
    const [near, far] = [now() + minute, now() + hour]
    const records = await insertMany(40, { owner, expiresAt: far })
    await bench.race(80, (client, index) => {
      const record = records[index >> 1]
      return record ? client.touch(record, index % 4 < 2 === index % 2 < 1 ? far : near) : Promise.resolve(false)
    })
    const later = await bench.at(near + 10 * minute)
    if (!later) throw new Error(noClock)
    const found = await Promise.all(records.map(({ key }) => later.get(key)))
    const alive = found.flatMap((record) => record ?? [])
    same(keysOf((await later.listByOwner(owner)).items), keysOf(alive), 'the listed keys, compared with the live ones')
  },
}

export const recordLocalClocks: TestTable<RecordBench> = {
  'an instant is kept to the millisecond where local clocks are changed': async ({ insert, other, now, store }) => {
    for (const instant of changesOfClocks(now())) {
      const record = await insert({ expiresAt: instant })
      same((await other.get(record.key))?.expiresAt, instant, `an expiry at ${new Date(instant).toISOString()}`)
      holds(await store.remove(record.key), 'remove must be true')
    }
  },
}

/** Half hours around the next changes to and from summer time in Europe and North America, with odd milliseconds. */
function changesOfClocks(from: number): readonly number[] {
  const year = new Date(from).getUTCFullYear() + 1
  const nights = [
    [sundayFrom(year, 2, 25), 0],
    [sundayFrom(year, 9, 25), 0],
    [sundayFrom(year, 2, 8), 6],
    [sundayFrom(year, 10, 1), 5],
  ] as const
  return nights.flatMap(([day, first]) => [0, 1, 2, 3, 4].map((half) => day + first * hour + half * 30 * minute + 7))
}

/** Returns the first Sunday on or after that day. */
function sundayFrom(year: number, month: number, day: number): number {
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay()
  return Date.UTC(year, month, day + ((7 - weekday) % 7))
}
