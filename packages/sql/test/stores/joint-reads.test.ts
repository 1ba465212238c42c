import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { describe, expect, test } from 'vitest'

type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>

/** Stores on a database that has these rows, or none, and what is asked of it: the keys of each statement. */
function open(rows: readonly object[] = []) {
  const asked: (readonly object[] | string)[] = []
  const pool: PgliteDatabase = {
    async query(text, values = []) {
      if (text.includes('latchkey_migrations')) return { rows: [{ version: 99, usable_by: 1 }] }
      if (text.includes('as now')) return { rows: [{ now: Date.now() }] }
      asked.push(text.includes('json_to_recordset') ? JSON.parse(String(values[0])) : 'alone')
      return { rows: [...rows] }
    },
    exec: async () => {},
    transaction: (work) => work(pool),
    close: async () => {},
  }
  const { identities } = createPostgresStores({ pool }).accounts
  const readAll = (reads: readonly (readonly [key: string, denialIds?: readonly string[]])[]) =>
    Promise.all(reads.map(([key, denialIds]) => identities.read(key, denialIds)))
  return { asked, identities, readAll }
}

const keysOf = (statement: readonly object[] | string) => (typeof statement === 'string' ? 1 : statement.length)

describe('identities that are read at once', () => {
  test('are a single statement for the first, and one statement for all others', async () => {
    const { asked, readAll } = open()
    expect(await readAll([['se_1'], ['se_2']])).toEqual([null, null])
    expect(asked).toEqual(['alone', [{ place: 0, asked_key: 'se_2' }]])
  })

  test('have what the row of their key has', async () => {
    const columns = { version: '3', expires_at: '5', value: 'v', owner: 'acc_1', status: 'active', epoch: '2' }
    const row = { ...columns, roles: '["READER"]', kept_key: null, enrolled: '[]', denied: '0' }
    const account = { id: 'acc_1', roles: ['READER'], status: 'active', epoch: 2, keptKey: null, enrolled: [] }
    const found = (key: string, keptKey: string | null, isDenied: boolean) => ({
      record: { key, owner: 'acc_1', version: 3, expiresAt: 5, value: 'v' },
      account: { ...account, keptKey },
      isDenied,
    })
    expect(await open([row]).readAll([['se_1']])).toEqual([found('se_1', null, false)])
    const denied = { ...row, place: 0, kept_key: 'se_9', denied: '1' }
    expect(await open([denied]).readAll([['se_1'], ['se_2']])).toEqual([
      found('se_1', 'se_9', true),
      found('se_2', 'se_9', true),
    ])
  })

  test('are an error for the caller alone whose row cannot be read', async () => {
    const columns = { version: '3', expires_at: '5', value: 'v', owner: 'acc_1', status: 'active', epoch: '2' }
    const row = { ...columns, roles: '[]', kept_key: null, enrolled: '[]', denied: '0' }
    const { identities } = open([
      { ...row, place: 1 },
      { ...row, place: 0, roles: '{' },
      { ...row, place: 2 },
    ])
    const reads = ['se_1', 'se_2', 'se_3', 'se_4'].map(async (key) => (await identities.read(key))?.record.key)
    expect(await Promise.allSettled(reads)).toEqual([
      { status: 'fulfilled', value: 'se_1' },
      { status: 'rejected', reason: expect.objectContaining({ code: 'STORE_DATA_INVALID' }) },
      { status: 'fulfilled', value: 'se_3' },
      { status: 'fulfilled', value: 'se_4' },
    ])
  })

  test('are read with the denials of their tokens, at most two', async () => {
    const { asked, readAll } = open()
    await readAll([['se_1'], ['se_2', ['jti_1']], ['se_3', ['jti_1', 'sid_1']], ['se_4', ['jti_1', 'sid_1', 'x']]])
    expect(asked.filter((statement) => statement === 'alone')).toHaveLength(2)
    expect(asked.filter((statement) => statement !== 'alone')).toEqual([
      [
        { place: 0, asked_key: 'se_2', first_denial: 'jti_1' },
        { place: 1, asked_key: 'se_3', first_denial: 'jti_1', second_denial: 'sid_1' },
      ],
    ])
  })

  test.each([
    [101, [1, 100]],
    [102, [1, 100, 1]],
    [201, [1, 100, 100]],
  ])('are %d in statements of a hundred', async (count, statements) => {
    const { asked, readAll } = open()
    const keys = Array.from({ length: count }, (_none, index) => `se_${index}`)
    expect(await readAll(keys.map((key) => [key]))).toEqual(keys.map(() => null))
    expect(asked.map(keysOf)).toEqual(statements)
    const joined = asked.flatMap((statement) => (typeof statement === 'string' ? [] : statement))
    expect(joined.map((each) => Object(each).asked_key)).toEqual(keys.slice(1))
  })

  test.each<[string, string, readonly string[]]>([
    ['an empty key', '', []],
    ['a quote at its beginning', '"se_1', []],
    ['a quote at its end', 'se_1"', []],
    ['a backslash', 'se_\\', []],
    ['a lone surrogate', 'se_\ud800', []],
    ['513 characters', 's'.repeat(513), []],
    ['a denial of others', 'se_1', ['jti_1', 'sid 1']],
  ])('leave out what could not be read as JSON by the server: %s', async (_what, key, denialIds) => {
    const { asked, readAll } = open()
    await readAll([['se_1'], [key, denialIds], ['s'.repeat(512)]])
    expect(asked.filter((statement) => statement === 'alone')).toHaveLength(2)
    expect(asked.filter((statement) => statement !== 'alone')).toEqual([[{ place: 0, asked_key: 's'.repeat(512) }]])
  })
})
