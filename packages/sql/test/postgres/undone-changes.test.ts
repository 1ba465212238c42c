import { createPostgresStores, type PostgresPool, type SqlStores } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>

const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const record = { key: 'se_1', owner: null, value: '{}', expiresAt: 1_900_000_000_000 }

interface FakeDatabase extends SqlStores {
  /** What was sent, without the texts of queries of the clock and the version. */
  readonly sent: string[]
  /** Answers a statement; by default with no rows. */
  answer: (text: string) => Promise<unknown[]>
}

/** Stores on a database that nothing interrupts: what is sent after the deadline would be executed. */
function open(): FakeDatabase {
  const sent: string[] = []
  const pool: PgliteDatabase = {
    async query(text) {
      const name = text.includes('latchkey_migrations') ? 'version' : text.includes('as now') ? 'clock' : 'statement'
      sent.push(name)
      const rows = await fake.answer(name)
      if (rows.length > 0) return { rows }
      if (name === 'version') return { rows: [{ version: 99, usable_by: 1 }] }
      return { rows: name === 'clock' ? [{ now: Date.now() }] : [] }
    },
    exec: async () => {},
    transaction: (work) => work(pool),
    close: async () => {},
  }
  const fake = Object.assign({ sent, answer: async () => [] }, createPostgresStores({ pool })) as FakeDatabase
  return fake
}

const error = (code: string, message = 'undone') => Object.assign(new Error(message), { code })
const late = error('22P02', 'invalid input syntax for type integer: "late"')
/** Answers a change so often with an error, and then with a row. */
const failing = (times: number, failure: Error) => async (text: string) => {
  if (text !== 'statement') return []
  if (times-- > 0) throw failure
  return [{ key: record.key }]
}

let monotonic = 0
beforeEach(() => {
  monotonic = 5000
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic)
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a change that the server undid', () => {
  test('as too late before its deadline here is sent again, once the clocks were compared', async () => {
    const stores = open()
    stores.answer = failing(1, late)
    expect(await stores.records.insert(record)).toBe(true)
    expect(stores.sent).toEqual(['version', 'clock', 'statement', 'clock', 'statement'])
  })

  test('as too late a second time is an outage', async () => {
    const stores = open()
    stores.answer = failing(2, late)
    await expect(stores.records.insert(record)).rejects.toMatchObject({ ...outage, cause: late })
    expect(stores.sent).toEqual(['version', 'clock', 'statement', 'clock', 'statement'])
  })

  test.each([
    [249, 2],
    [250, 1],
  ])('as too late, as is known after %d ms of 250, was sent %d times', async (passedMs, times) => {
    const stores = open()
    await stores.records.get(record.key)
    stores.sent.length = 0
    const answer = failing(9, late)
    stores.answer = (text) => {
      if (text === 'statement' && monotonic < 5000 + passedMs) monotonic += passedMs
      return answer(text)
    }
    await expect(stores.records.insert(record)).rejects.toMatchObject({ ...outage, cause: late })
    expect(stores.sent.filter((name) => name === 'statement')).toHaveLength(times)
  })

  test.each(['40001', '40P01'])('for others (%s) is sent again until it succeeds', async (code) => {
    const stores = open()
    stores.answer = failing(8, error(code))
    expect(await stores.records.insert(record)).toBe(true)
    expect(stores.sent).toEqual(['version', 'clock', ...Array(9).fill('statement')])
  })

  test('for others and then as too late is sent again too', async () => {
    const stores = open()
    const failures = [error('40001'), late, error('40001')]
    stores.answer = async (text) => {
      const failure = text === 'statement' && failures.shift()
      if (failure) throw failure
      return text === 'statement' ? [{ key: record.key }] : []
    }
    expect(await stores.records.insert(record)).toBe(true)
  })

  test.each([
    ['22P02', 'invalid input syntax for type integer: "later"'],
    ['22003', 'it is "late"'],
    ['57P01', 'shutting down'],
  ])('for another reason is sent once: %s, %s', async (code, message) => {
    const stores = open()
    stores.answer = failing(1, error(code, message))
    await expect(stores.records.insert(record)).rejects.toMatchObject({ ...outage, cause: { code } })
    expect(stores.sent).toEqual(['version', 'clock', 'statement'])
  })

  test('for a constraint has changed no row, and is no outage', async () => {
    const stores = open()
    stores.answer = failing(1, error('23505'))
    expect(await stores.records.insert(record)).toBe(false)
  })
})

describe('after the deadline no further statement is sent', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['version', ['version']],
    ['clock', ['version', 'clock']],
    ['statement', ['version', 'clock', 'statement']],
  ])('if the answer to "%s" comes late', async (awaited, sent) => {
    const stores = open()
    const { promise: answered, reject, resolve } = Promise.withResolvers<unknown[]>()
    stores.answer = async (name) => (name === awaited ? answered : [])
    const refused = expect(stores.records.insert(record)).rejects.toMatchObject(outage)
    await vi.advanceTimersByTimeAsync(251)
    await refused
    monotonic += 300
    awaited === 'statement' ? reject(error('40001')) : resolve([])
    await vi.advanceTimersByTimeAsync(0)
    expect(stores.sent).toEqual(sent)
  })

  test('if the clocks were compared again by then', async () => {
    const stores = open()
    const { promise: compared, resolve } = Promise.withResolvers<unknown[]>()
    stores.answer = async (name) => {
      if (name === 'statement') throw late
      return stores.sent.filter((each) => each === 'clock').length > 1 ? compared : []
    }
    const refused = expect(stores.records.insert(record)).rejects.toMatchObject(outage)
    await vi.advanceTimersByTimeAsync(251)
    await refused
    resolve([])
    await vi.advanceTimersByTimeAsync(0)
    expect(stores.sent).toEqual(['version', 'clock', 'statement', 'clock'])
  })

  test('if a read was undone for others by then', async () => {
    const stores = open()
    const { promise: answered, reject } = Promise.withResolvers<unknown[]>()
    stores.answer = async (name) => (name === 'statement' ? answered : [])
    const refused = expect(stores.records.get(record.key)).rejects.toMatchObject(outage)
    await vi.advanceTimersByTimeAsync(251)
    await refused
    reject(error('40001'))
    await vi.advanceTimersByTimeAsync(0)
    expect(stores.sent).toEqual(['version', 'clock', 'statement'])
  })
})

test('the version of the tables is read before the first statement only', async () => {
  const stores = open()
  await stores.records.get('se_1')
  await stores.records.get('se_2')
  expect(stores.sent).toEqual(['version', 'clock', 'statement', 'statement'])
})

test.each(['42P01', '42703'])('tables that are missing or too old (%s) say so', async (code) => {
  const stores = open()
  stores.answer = async () => Promise.reject(error(code))
  await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' })
  stores.answer = failing(1, error(code))
  await expect(stores.records.get('se_1')).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED', cause: { code } })
})

test('tables whose version the database cannot say are an outage, and not missing', async () => {
  const stores = open()
  stores.answer = async (name) => (name === 'version' ? Promise.reject(error('57P01')) : [])
  for (const call of [stores.check, () => stores.records.get('se_1')]) {
    await expect(call()).rejects.toMatchObject({ ...outage, cause: { code: '57P01' } })
  }
})

test('a version that could not be read is read again', async () => {
  const stores = open()
  stores.answer = async (name) => (name === 'version' ? [{ version: 999, usable_by: 999 }] : [])
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(stores.records.get('se_1')).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
  }
  expect(stores.sent).toEqual(['version', 'version'])
})
