import { createPostgresExecutor, createPostgresStores, type PostgresExecutor, type PostgresPool } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { latestVersion } from '../database-file.ts'

type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>

const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }

interface Sent {
  readonly text: string
  readonly values: readonly unknown[] | undefined
}

interface FakeDatabase extends PostgresExecutor {
  readonly pool: PgliteDatabase
  readonly sent: Sent[]
  answer: (text: string) => Promise<unknown[]>
}

/** A PGlite without a database: what it is asked is answered by `answer`, its time is that of this machine. */
function open(deadlineMs = 250): FakeDatabase {
  const sent: Sent[] = []
  const send = async (text: string, values?: unknown[]) => {
    if (text.includes('as now')) return { rows: values?.length === 0 ? [{ now: Date.now() }] : [] }
    sent.push({ text, values })
    return { rows: await fake.answer(text) }
  }
  const pool: PgliteDatabase = { query: send, exec: send, transaction: (work) => work(pool), close: async () => {} }
  const executor = createPostgresExecutor({ pool, deadlineMs })
  const fake: FakeDatabase = { ...executor, pool, sent, answer: async () => [] }
  return fake
}

describe('a deadline that is no positive number is refused', () => {
  test.each([[0], [-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['soon']])('%s', async (deadlineMs) => {
    const limit = { deadlineMs: deadlineMs as number }
    const { pool, transaction, script, sent } = open()
    for (const call of [
      () => createPostgresExecutor({ pool, ...limit }),
      () => createPostgresStores({ pool, ...limit }),
      () => transaction(async () => null, limit),
      () => script('select 1', limit),
    ]) {
      expect(call).toThrow(TypeError)
      expect(call).toThrow('"deadlineMs"')
    }
    expect(sent).toEqual([])
  })

  test('a fraction is none of them', async () => {
    const { script, sent } = open(0.5)
    await script('select 1', { deadlineMs: 1999.5 })
    expect(sent.map(({ text }) => text)).toEqual(['set local statement_timeout = 2000;\nselect 1'])
  })
})

describe('a refused statement rejects with the error of the driver', () => {
  test.each(['0A000', '22P02', '23505', '25001', '3D001', '42P01', '42P08', '42703', '55000', 'P0001', 'LK001'])(
    '%s',
    async (code) => {
      const executor = open()
      const refused = Object.assign(new Error('refused'), { code })
      executor.answer = () => Promise.reject(refused)
      await expect(executor.query('select 1')).rejects.toBe(refused)
      await expect(executor.script('select 1')).rejects.toBe(refused)
      await expect(executor.transaction((query) => query('select 1'))).rejects.toBe(refused)
    },
  )

  test('a mistake that the driver has found rejects with the error of the driver', async () => {
    const executor = open()
    const mistake = new TypeError('no such type')
    executor.answer = () => Promise.reject(mistake)
    await expect(executor.query('select 1')).rejects.toBe(mistake)
  })
})

describe('a failure that does not depend on the statement is an outage', () => {
  test.each<[unknown, string?]>([
    ['08006'],
    ['25006'],
    ['28P01'],
    ['3D000'],
    ['53300'],
    ['55P03'],
    ['57014'],
    ['58030'],
    ['XX000'],
    ['EPIPE'],
    ['ECONNRESET'],
    ['x23505'],
    ['235055'],
    ['2350'],
    [23505],
    [undefined],
    ['22P02', 'invalid input syntax for type integer: "late"'],
  ])('%s', async (code, message = 'failed') => {
    const executor = open()
    const failure = Object.assign(new Error(message), { code })
    executor.answer = () => Promise.reject(failure)
    await expect(executor.query('select 1')).rejects.toMatchObject({ ...outage, cause: failure })
    await expect(executor.transaction((query) => query('select 1'))).rejects.toMatchObject({
      ...outage,
      cause: failure,
    })
  })

  // A single statement is sent again, and the work of a transaction is the caller's.
  test.each(['40001', '40P01'])('%s of a transaction', async (code) => {
    const executor = open()
    const failure = Object.assign(new Error('failed'), { code })
    executor.answer = () => Promise.reject(failure)
    const done = executor.transaction((query) => query('select 1'))
    await expect(done).rejects.toMatchObject({ ...outage, cause: failure })
  })

  test('a rejection with a plain object is an outage', async () => {
    const executor = open()
    executor.answer = () => Promise.reject({ code: '23505' })
    await expect(executor.query('select 1')).rejects.toMatchObject(outage)
  })
})

describe('a statement', () => {
  let monotonic = 0
  beforeEach(() => {
    monotonic = 5000
    vi.spyOn(performance, 'now').mockImplementation(() => monotonic)
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test.each([
    'insert into notes values ($1) returning id',
    '  \n UPDATE notes\nset text = $1\nRETURNING id, text\n',
    'delete from notes where id = $1 returning *',
  ])('undoes itself after its deadline if it changes and returns rows: %s', async (text) => {
    const { query, sent } = open()
    await query(text, ['a'])
    expect(sent).toHaveLength(1)
    expect(sent[0]?.text).toMatch(/^with changed as \(/)
    expect(sent[0]?.text).toContain(text)
    expect(sent[0]?.values).toEqual(['a', 1_800_000_000_250])
  })

  test.each([
    'select 1',
    'insert into notes values (1)',
    'insert into notes values (1) returning id; select 1',
    'inserts into notes values (1) returning id',
    'explain insert into notes values (1) returning id',
    'update notes set returnings = 1',
    'update notes set unreturning = 1',
  ])('is sent unchanged if it is of another kind: %s', async (text) => {
    const { query, transaction, sent } = open()
    await query(text)
    await query(text, [1])
    await transaction((within) => within(text))
    expect(sent).toEqual([
      { text, values: [] },
      { text, values: [1] },
      { text, values: [] },
    ])
  })
})

test('an error of the work of a transaction is rethrown unchanged', async () => {
  const { transaction } = open()
  for (const thrown of ['no', new Error('no'), { code: '08006' }]) {
    await expect(transaction(() => Promise.reject(thrown))).rejects.toBe(thrown)
  }
})

test('a check asks the database, and a closed executor does not', async () => {
  const { check, close, sent } = open()
  await check()
  expect(sent).toEqual([{ text: 'select 1', values: [] }])
  await close()
  await expect(check()).rejects.toMatchObject({ ...outage, message: 'the database is closed' })
  expect(sent).toHaveLength(1)
})

test('tables of this version are not migrated again', async () => {
  const fake = open()
  fake.answer = async () => [{ version: latestVersion, usable_by: latestVersion }]
  expect(await createPostgresStores({ pool: fake.pool }).migrate()).toEqual({ from: latestVersion, to: latestVersion })
  expect(fake.sent.filter(({ values }) => values === undefined)).toEqual([])
})
