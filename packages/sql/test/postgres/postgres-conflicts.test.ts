import { createPostgresExecutor, createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

const conflict = Object.assign(new Error('could not serialize access'), { code: '40001' })
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })

/** A pool within the process, which answers without a turn of the event loop. */
function openPool(answer: (text: string) => readonly object[]) {
  const sent: string[] = []
  const pool: PgPool = {
    connect: async () => ({
      release: () => {},
      async query(asked) {
        const text = textOf(asked)
        if (text.includes('latchkey_migrations')) return { rows: [{ version: 1 }] }
        if (text.includes('clock_timestamp()) * 1000 as now')) return { rows: [{ now: Date.now() }] }
        if (!text.includes('latchkey_')) return { rows: [] }
        sent.push(text)
        return { rows: [...answer(text)] }
      },
    }),
    end: async () => {},
  }
  return { pool, sent }
}

/** Refuses each statement once for each of the errors. */
function refusing(errors: readonly Error[], rows: readonly object[]) {
  const left = [...errors]
  return openPool(() => {
    const error = left.shift()
    if (error) throw error
    return rows
  })
}

const row = { key: 'se_1', owner: null, version: 1, expires_at: 9e12, value: 'v' }
const read = 'select key from latchkey_records where key = $1'
const change = 'delete from latchkey_records where key = $1 returning key'

describe.each<[string, (pool: PgPool) => Promise<unknown>]>([
  ['a read of a store', (pool) => createPostgresStores({ pool }).records.get('se_1')],
  ['a change by a store', (pool) => createPostgresStores({ pool }).records.remove('se_1')],
  ['a read by an executor', (pool) => createPostgresExecutor({ pool }).query(read, ['se_1'])],
  [
    'a read by an executor that begins on a line of its own',
    (pool) => {
      return createPostgresExecutor({ pool }).query(`\n  ${read}`, ['se_1'])
    },
  ],
  ['a change by an executor', (pool) => createPostgresExecutor({ pool }).query(change, ['se_1'])],
])('%s', (_what, run) => {
  test('is sent again if the server undid it for others', async () => {
    const { pool, sent } = refusing([conflict, deadlock], [row])
    expect(await run(pool)).toBeTruthy()
    expect(sent).toHaveLength(3)
  })
})

test.each<[string, (pool: PgPool) => Promise<unknown>]>([
  ['a read', (pool) => createPostgresStores({ pool, deadlineMs: 50 }).records.get('se_1')],
  ['a change', (pool) => createPostgresStores({ pool, deadlineMs: 50 }).records.remove('se_1')],
])('%s that is undone each time, and at once, fails at its deadline and is not sent after it', async (_what, run) => {
  const { pool, sent } = openPool(() => {
    throw conflict
  })
  // It holds the event loop only where no timer gets a turn.
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  onTestFinished(() => clearInterval(counting))
  await expect(run(pool)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(turns).toBeGreaterThan(0)
  const before = sent.length
  for (const until = turns + 5; turns < until; ) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(sent).toHaveLength(before)
})

test.each([
  'select * from latchkey_records; commit; delete from latchkey_records',
  'delete from latchkey_records; commit; select * from latchkey_records',
])('a text of several statements is not sent again, because some may be committed: %s', async (text) => {
  const { pool, sent } = refusing([conflict], [])
  await expect(createPostgresExecutor({ pool }).query(text)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(sent).toHaveLength(1)
})
