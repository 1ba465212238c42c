import { createPostgresExecutor, createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { afterEach, expect, test, vi } from 'vitest'
import { textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }

interface Seen {
  readonly released: (boolean | undefined)[]
  readonly sent: string[]
}

/** A pool whose connections and answers come when the test lets them. */
function createPool({ connected = async () => {}, answered = async () => {} } = {}): Seen & { pool: PgPool } {
  const released: (boolean | undefined)[] = []
  const sent: string[] = []
  const pool: PgPool = {
    async connect() {
      await connected()
      return {
        release: (destroy) => void released.push(destroy === true),
        async query(asked) {
          const text = textOf(asked)
          sent.push(text)
          if (text.includes('latchkey_migrations')) return { rows: [{ version: 1 }] }
          if (/latchkey_records|notes/.test(text)) await answered()
          return { rows: [] }
        },
      }
    },
    end: async () => {},
  }
  return { released, sent, pool }
}

afterEach(() => {
  vi.useRealTimers()
})

test('a connection whose statement was given up is destroyed, because its answer may still come', async () => {
  const { pool, released } = createPool({ answered: () => new Promise(() => {}) })
  const { records } = createPostgresStores({ pool, deadlineMs: 50 })
  await expect(records.get('se_1')).rejects.toMatchObject(unavailable)
  expect(released.filter(Boolean)).toEqual([true])
})

test('a statement of an application that is not answered is an outage at its deadline, and its connection is destroyed', async () => {
  const { pool, released } = createPool({ answered: () => new Promise(() => {}) })
  const { query } = createPostgresExecutor({ pool, deadlineMs: 50 })
  await expect(query('select text from notes')).rejects.toMatchObject({
    ...unavailable,
    message: 'the database did not answer within 50 ms',
  })
  expect(released).toEqual([true])
})

test('a connection that comes after the deadline is returned unused', async () => {
  let arrive = () => {}
  const { pool, released, sent } = createPool({
    connected: () =>
      new Promise<void>((resolve) => {
        arrive = resolve
      }),
  })
  const { records } = createPostgresStores({ pool, deadlineMs: 50 })
  await expect(records.get('se_1')).rejects.toMatchObject(unavailable)
  arrive()
  await expect.poll(() => released).toEqual([false])
  expect(sent).toEqual([])
})

test('an answer in time leaves no timer behind, which would keep a process alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { pool } = createPool()
  const { records } = createPostgresStores({ pool })
  expect(await records.get('se_1')).toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})

test('nor does one to a statement of an application', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { pool } = createPool()
  const { query } = createPostgresExecutor({ pool })
  expect(await query('select text from notes')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
