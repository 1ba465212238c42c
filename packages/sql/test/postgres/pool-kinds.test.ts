import { createPostgresExecutor, createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

type PgliteDatabase = Extract<PostgresPool, { exec: unknown }>
type PgPool = Extract<PostgresPool, { connect: unknown }>

const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const call = async () => {}
const pg: PgPool = { connect: () => Promise.reject(new Error('nothing listens there')), end: call }
const pglite: PgliteDatabase = {
  query: async () => ({ rows: [] }),
  exec: call,
  transaction: (work) => work(pglite),
  close: call,
}

describe('what is no pool is refused', () => {
  test.each([
    [undefined],
    [null],
    ['postgres://127.0.0.1/app'],
    [{}],
    [{ connect: call }],
    [{ unsafe: call }],
    [{ end: call }],
    [{ connect: 'now', end: call }],
    [{ query: call, exec: call }],
    [{ query: call, close: call }],
    [{ exec: call, close: call }],
  ])('%j', (pool) => {
    for (const create of [createPostgresExecutor, createPostgresStores]) {
      expect(() => create({ pool: pool as never })).toThrow(TypeError)
      expect(() => create({ pool: pool as never })).toThrow(/^"pool" must be/)
    }
  })
})

test('a PGlite is closed with the stores', async () => {
  let closed = 0
  const stores = createPostgresStores({ pool: { ...pglite, close: async () => void closed++ } })
  await stores.close()
  await stores.close()
  expect(closed).toBe(1)
  for (const call of [stores.check, () => stores.records.get('se_1')]) {
    await expect(call()).rejects.toMatchObject({ ...outage, message: 'the stores are closed' })
  }
})

test.each([
  ['a Pool of pg', pg, false],
  ['a PGlite without a folder', pglite, true],
  ['a PGlite in memory', { ...pglite, dataDir: 'memory://app' }, true],
  ['a PGlite in a folder', { ...pglite, dataDir: './memory://' }, false],
])('%s is in memory: %j', async (_what, pool, isInMemory) => {
  expect(await createPostgresStores({ pool }).isInMemory()).toBe(isInMemory)
})

interface Statement {
  readonly text: string
  isCancelled: boolean
  isSimple: boolean
  answer(): void
}

/** The `sql` function of postgres.js without a server; its statements are answered by the test. */
function createSql(connected = Promise.resolve()) {
  const statements: Statement[] = []
  const transactions: Promise<unknown>[] = []
  const ended: unknown[] = []
  const sql: Extract<PostgresPool, { unsafe: unknown }> = {
    unsafe(text) {
      const { promise, resolve } = Promise.withResolvers<readonly unknown[]>()
      const statement = { text, isCancelled: false, isSimple: false, answer: () => resolve([{ answer: text }]) }
      statements.push(statement)
      const cancel = () => {
        statement.isCancelled = true
        return Promise.reject(new Error('it is over'))
      }
      const simple = () => {
        statement.isSimple = true
        return promise
      }
      // biome-ignore lint/suspicious/noThenProperty: such are the statements of postgres.js
      return { then: promise.then.bind(promise), simple, cancel }
    },
    begin(work) {
      const transaction = connected.then(() => work(sql))
      transactions.push(transaction)
      return transaction
    },
    end: async (options) => void ended.push(options),
  }
  return { sql, statements, transactions, ended }
}

/** Advances all clocks until the outage at the deadline. */
async function giveUp(asked: Promise<unknown>): Promise<void> {
  const refused = expect(asked).rejects.toMatchObject(outage)
  await vi.advanceTimersByTimeAsync(251)
  await refused
}

describe('the sql function of postgres.js', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is asked to cancel a statement at its deadline', async () => {
    const { sql, statements } = createSql()
    await giveUp(createPostgresExecutor({ pool: sql }).query('select 1'))
    expect(statements).toMatchObject([{ text: 'select 1', isCancelled: true }])
  })

  test('is asked to cancel no statement that was answered, and to undo what was not committed', async () => {
    const { sql, statements, transactions } = createSql()
    const { promise: worked, resolve } = Promise.withResolvers<void>()
    const asked = createPostgresExecutor({ pool: sql }).transaction(async (query) => {
      await query('select 1')
      await worked
    })
    for (const count of [1, 2]) {
      await vi.waitUntil(() => statements.length === count)
      statements.at(-1)?.answer()
    }
    await giveUp(asked)
    expect(statements).toEqual([
      expect.objectContaining({ text: 'set local statement_timeout = 250', isCancelled: false }),
      expect.objectContaining({ text: 'select 1', isCancelled: false }),
    ])
    resolve()
    await expect(transactions[0]).rejects.toThrow('aborted')
  })

  test('gets at most as many statements at once as it has connections, transactions included', async () => {
    const { sql, statements } = createSql()
    const executor = createPostgresExecutor({ pool: { ...sql, options: { max: 1 } } })
    const { promise: worked, resolve } = Promise.withResolvers<void>()
    const transaction = executor.transaction(() => worked)
    await vi.waitUntil(() => statements.length === 1)
    const asked = executor.query('select 1')
    statements[0]?.answer()
    await vi.advanceTimersByTimeAsync(10)
    expect(statements).toHaveLength(1)
    resolve()
    await transaction
    await vi.waitUntil(() => statements.length === 2)
    statements[1]?.answer()
    expect(await asked).toEqual([{ answer: 'select 1' }])
  })

  test('runs a script as a whole, which may have several statements', async () => {
    const { sql, statements } = createSql()
    const done = createPostgresExecutor({ pool: sql }).script('select 1; select 2')
    await vi.advanceTimersByTimeAsync(0)
    expect(statements).toMatchObject([
      { text: 'set local statement_timeout = 250;\nselect 1; select 2', isSimple: true },
    ])
    statements[0]?.answer()
    await done
  })

  test('is asked for nothing when its connection comes after the deadline', async () => {
    const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
    const { sql, statements, transactions } = createSql(connected)
    await giveUp(createPostgresExecutor({ pool: sql }).transaction((query) => query('select 1')))
    connect()
    await expect(transactions[0]).rejects.toThrow('aborted')
    expect(statements).toEqual([])
  })

  test('is ended within a second, because it would wait for connections that are lost', async () => {
    const { sql, ended } = createSql()
    await createPostgresExecutor({ pool: sql }).close()
    expect(ended).toEqual([{ timeout: 1 }])
  })
})
