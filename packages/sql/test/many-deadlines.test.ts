import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { textOf } from './postgres/postgres-database.ts'

type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>

const outage = { code: 'STORE_UNAVAILABLE', message: 'the database did not answer within 250 ms' }

/** Stores on a database that answers when the test says so, by the key that is asked for. */
async function open(places?: number) {
  const asked = new Map<unknown, PromiseWithResolvers<void>>()
  const pool: PgliteDatabase = {
    async query(text, values) {
      if (text.includes('latchkey_migrations')) return { rows: [{ version: 99, usable_by: 1 }] }
      if (text.includes('as now')) return { rows: [{ now: Date.now() }] }
      const answer = Promise.withResolvers<void>()
      asked.set(values?.[0], answer)
      await answer.promise
      return { rows: [] }
    },
    exec: async () => {},
    transaction: (work) => work(pool),
    close: async () => {},
  }
  // With a number of connections it is a pool of `pg`.
  const connection = {
    query: (asked: Parameters<typeof textOf>[0], values?: unknown[]) => pool.query(textOf(asked), values),
  }
  const connect = async () => ({ ...connection, release: () => {} })
  const { records } = createPostgresStores({
    pool: places === undefined ? pool : { connect, end: async () => {}, options: { max: places } },
  })
  const outcomes: Record<string, unknown> = {}
  /** Asks for a key, and notes what comes of it. */
  const get = async (key: string): Promise<void> => {
    outcomes[key] = 'open'
    const note = (outcome: unknown): void => {
      outcomes[key] = outcome
    }
    records.get(key).then(() => note('answered'), note)
    await vi.advanceTimersByTimeAsync(0)
  }
  const answer = async (key: string, error?: Error): Promise<void> => {
    if (error) asked.get(key)?.reject(error)
    else asked.get(key)?.resolve()
    await vi.advanceTimersByTimeAsync(0)
  }
  await get('first of all')
  await answer('first of all')
  expect(vi.getTimerCount()).toBe(0)
  return { get, answer, outcomes }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('statements that are under way at once', () => {
  test('have a deadline each, and a single timer', async () => {
    const { get, answer, outcomes } = await open()
    await get('answered')
    await get('a')
    await vi.advanceTimersByTimeAsync(100)
    await get('b')
    await vi.advanceTimersByTimeAsync(50)
    await get('c')
    expect(vi.getTimerCount()).toBe(1)
    await answer('answered')
    await vi.advanceTimersByTimeAsync(99)
    expect(outcomes).toMatchObject({ answered: 'answered', a: 'open', b: 'open', c: 'open' })
    await vi.advanceTimersByTimeAsync(2)
    expect(outcomes).toMatchObject({ a: outage, b: 'open', c: 'open' })
    await vi.advanceTimersByTimeAsync(98)
    expect(outcomes).toMatchObject({ b: 'open', c: 'open' })
    await vi.advanceTimersByTimeAsync(2)
    expect(outcomes).toMatchObject({ b: outage, c: 'open' })
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(48)
    expect(outcomes).toMatchObject({ c: 'open' })
    await vi.advanceTimersByTimeAsync(2)
    expect(outcomes).toMatchObject({ c: outage })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('keep theirs when an answer comes too late to one that had it before them', async () => {
    const { get, answer, outcomes } = await open()
    await get('late')
    await vi.advanceTimersByTimeAsync(251)
    expect(outcomes).toMatchObject({ late: outage })
    await answer('late')
    await get('a')
    await get('b')
    await answer('a')
    expect(outcomes).toMatchObject({ late: outage, a: 'answered', b: 'open' })
    await vi.advanceTimersByTimeAsync(251)
    expect(outcomes).toMatchObject({ b: outage })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are refused at once if the database refuses them, and leave no timer', async () => {
    const { get, answer, outcomes } = await open()
    const refused = new Error('shutting down')
    await get('a')
    await get('b')
    await answer('a', refused)
    expect(outcomes).toMatchObject({ a: { code: 'STORE_UNAVAILABLE', cause: refused }, b: 'open' })
    await answer('b', refused)
    expect(outcomes).toMatchObject({ b: { code: 'STORE_UNAVAILABLE', cause: refused } })
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('statements that wait for a connection', () => {
  test('begin when it is their turn, and have the whole deadline from then on', async () => {
    const { get, answer, outcomes } = await open(1)
    for (const key of ['a', 'b', 'c']) await get(key)
    await vi.advanceTimersByTimeAsync(200)
    await answer('a')
    await vi.advanceTimersByTimeAsync(200)
    expect(outcomes).toEqual({ 'first of all': 'answered', a: 'answered', b: 'open', c: 'open' })
    await answer('b')
    await vi.advanceTimersByTimeAsync(249)
    expect(outcomes).toMatchObject({ b: 'answered', c: 'open' })
    await vi.advanceTimersByTimeAsync(2)
    expect(outcomes).toMatchObject({ c: outage })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wait no longer than the deadline while none is answered, and are not sent afterwards', async () => {
    const { get, answer, outcomes } = await open(1)
    for (const key of ['a', 'b']) await get(key)
    await vi.advanceTimersByTimeAsync(252)
    expect(outcomes).toMatchObject({ a: outage, b: outage })
    await answer('a')
    expect(vi.getTimerCount()).toBe(0)
    await get('c')
    await answer('c')
    expect(outcomes).toMatchObject({ b: outage, c: 'answered' })
  })

  test('get no extra time for a place that an expired statement leaves', async () => {
    const { get, answer, outcomes } = await open(1)
    await get('a')
    await vi.advanceTimersByTimeAsync(100)
    await get('b')
    await vi.advanceTimersByTimeAsync(151)
    expect(outcomes).toMatchObject({ a: outage, b: 'open' })
    await answer('a')
    await vi.advanceTimersByTimeAsync(101)
    expect(outcomes).toMatchObject({ b: outage })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wait no longer than four deadlines, however many are answered', async () => {
    const { get, answer, outcomes } = await open(1)
    const keys = Array.from({ length: 8 }, (_none, index) => String(index))
    for (const key of keys) await get(key)
    for (const key of keys.slice(0, 5)) {
      await vi.advanceTimersByTimeAsync(200)
      await answer(key)
    }
    expect(outcomes).toMatchObject({ 4: 'answered', 5: 'open', 6: 'open' })
    await vi.advanceTimersByTimeAsync(2)
    expect(outcomes).toMatchObject({ 5: 'open', 6: outage, 7: outage })
    await answer('5')
    expect(outcomes).toMatchObject({ 5: 'answered' })
    expect(vi.getTimerCount()).toBe(0)
  })
})
