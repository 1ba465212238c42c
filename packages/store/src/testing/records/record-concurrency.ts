import type { RecordStore, StoredRecord } from '../../record-store.ts'
import { holds, same } from '../assertions.ts'
import { raceInSteps } from '../history/record-calls.ts'
import type { TestTable } from '../test-runner.ts'
import { keysOf, type RecordBench } from './record-bench.ts'

const callers = 20
const rounds = 5

export const recordConcurrency: TestTable<RecordBench> = {
  'of parallel inserts of one key exactly one wins': async ({ other, newRecord, race }) => {
    const record = newRecord()
    const outcomes = await race(callers, (client, index) => client.insert({ ...record, value: `caller ${index}` }))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same(
      (await other.get(record.key))?.value,
      `caller ${outcomes.indexOf(true)}`,
      'the value, which is that of the winner',
    )
  },

  'of parallel replaces of one version exactly one wins': async ({ other, insert, race }) => {
    const record = await insert()
    const outcomes = await race(callers, (client, index) =>
      client.replace(record, { value: `caller ${index}`, expiresAt: record.expiresAt }),
    )
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    const expected = { ...record, version: 2, value: `caller ${outcomes.indexOf(true)}` }
    same(await other.get(record.key), expected, 'the record, which is that of the winner')
  },

  'of parallel removes exactly one wins': async ({ other, insert, race }) => {
    const record = await insert()
    const outcomes = await race(callers, (client) => client.remove(record.key))
    same(outcomes.filter(Boolean).length, 1, 'the number of winners')
    same(await other.get(record.key), null, 'the record')
  },

  'parallel removeByOwner calls count every record once': async ({ insertMany, newOwner, race, list }) => {
    const owner = newOwner()
    await insertMany(callers, { owner })
    const counts = await race(4, (client) => client.removeByOwner(owner))
    same(
      counts.reduce((sum, count) => sum + count, 0),
      callers,
      'the sum of the counts',
    )
    same(await list(owner), [], 'the listing afterwards')
  },

  'every one of parallel inserts is listed': async ({ newRecord, newOwner, race, list }) => {
    const owner = newOwner()
    const records = Array.from({ length: callers }, () => newRecord({ owner }))
    await race(callers, (client, index) => client.insert(records[index] ?? newRecord({ owner })))
    same(keysOf(await list(owner)), keysOf(records), 'the keys of the owner')
  },

  'inserts beside removes of the same owner stay listed': async ({ insertMany, newRecord, newOwner, race, list }) => {
    const owner = newOwner()
    const old = await insertMany(callers, { owner })
    const records = Array.from({ length: callers }, () => newRecord({ owner }))
    await race(callers, async (client, index) => {
      await Promise.all([client.remove(old[index]?.key ?? ''), client.insert(records[index] ?? newRecord({ owner }))])
    })
    same(keysOf(await list(owner)), keysOf(records), 'the keys of the owner')
  },

  'what is inserted beside removeByOwner is either removed or listed': async (bench) => {
    const { store, other, insertMany, newRecord, newOwner, list } = bench
    for (let round = 0; round < rounds; round++) {
      const owner = newOwner()
      const before = await insertMany(3, { owner })
      const beside = Array.from({ length: 6 }, () => newRecord({ owner }))
      await Promise.all([
        ...beside.slice(0, 3).map((record) => store.insert(record)),
        other.removeByOwner(owner),
        ...beside.slice(3).map((record) => store.insert(record)),
      ])
      const found = await Promise.all([...before, ...beside].map(({ key }) => store.get(key)))
      const alive = found.flatMap((record) => record ?? [])
      same(keysOf(await list(owner)), keysOf(alive), 'the listed keys, compared with the live ones')
      holds(!before.some(({ key }) => keysOf(alive).includes(key)), 'what was there before the call must be removed')
      same(await store.removeByOwner(owner), alive.length, 'the count of a second removeByOwner')
    }
  },

  'a removal beats a touch in flight': async ({ store, other, insert, list }) => {
    for (let round = 0; round < rounds; round++) {
      const record = await insert()
      const touch = () => store.touch(record, record.expiresAt + 1000)
      const remove = () => other.remove(record.key)
      const [first, second] = round % 2 ? [touch, remove] : [remove, touch]
      await Promise.all([first(), second(), touch()])
      same(await store.get(record.key), null, 'the removed record')
      same(await list(record.owner ?? ''), [], 'the listing of its owner')
    }
  },

  'a removal beats a replace in flight': async ({ store, other, insert, list }) => {
    for (let round = 0; round < rounds; round++) {
      const record = await insert()
      const replace = () => store.replace(record, { value: 'second', expiresAt: record.expiresAt })
      const remove = () => other.remove(record.key)
      const [first, second] = round % 2 ? [replace, remove] : [remove, replace]
      await Promise.all([first(), second(), replace()])
      same(await store.get(record.key), null, 'the removed record')
      same(await list(record.owner ?? ''), [], 'the listing of its owner')
    }
  },

  'removeByOwner beats touches and replaces in flight': async ({ store, other, insertMany, newOwner, list }) => {
    const owner = newOwner()
    const records = await insertMany(callers, { owner })
    await Promise.all([
      ...records.map((record) => store.touch(record, record.expiresAt + 1000)),
      ...records.map((record) => store.replace(record, { value: 'second', expiresAt: record.expiresAt })),
      other.removeByOwner(owner),
      ...records.map((record) => store.touch(record, record.expiresAt + 2000)),
    ])
    same(await list(owner), [], 'the listing afterwards')
    for (const { key } of records) same(await store.get(key), null, 'a removed record')
  },

  'a touch in flight undoes no replace': async ({ store, other, insert }) => {
    for (let round = 0; round < rounds; round++) {
      const record = await insert()
      const touch = () => other.touch(record, record.expiresAt + 1000)
      const replace = () => store.replace(record, { value: 'second', expiresAt: record.expiresAt })
      const [first, second] = round % 2 ? [touch, replace] : [replace, touch]
      const outcomes = await Promise.all([first(), second()])
      const found = await store.get(record.key)
      same(outcomes, [true, true], 'the outcomes of both')
      same([found?.value, found?.version], ['second', 2], 'value and version')
    }
  },

  'a replace that meets touches still wins': async ({ store, other, insert }) => {
    for (let round = 0; round < rounds; round++) {
      const record = await insert()
      const outcomes = await Promise.all([
        other.touch(record, record.expiresAt + 1000),
        store.replace(record, { value: 'second', expiresAt: record.expiresAt }),
        other.touch(record, record.expiresAt + 2000),
      ])
      same(outcomes, [true, true, true], 'the outcomes of touch, replace and touch')
    }
  },

  'reads beside changes of one record fit one order': async (bench) => {
    for (let round = 0; round < rounds; round++) {
      const first = await bench.insert()
      const { key, owner } = first
      await raceInSteps<RecordStore, StoredRecord | null>(
        bench,
        { round, first },
        async (client, caller, step, last) => {
          const next = { value: `caller ${caller}, step ${step}`, expiresAt: bench.now() + 3_600_000 + step }
          if (last && caller < 2) await client.replace(last, next)
          if (caller === 2) await client.touch({ key, owner }, next.expiresAt)
          if (caller === 3 && step === 3) await client.remove(key)
          return client.get(key)
        },
      )
    }
  },
}
