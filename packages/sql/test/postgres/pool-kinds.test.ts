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

describe('a pool of an unknown kind is refused', () => {
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
  fail(code: string): void
}

/** The `sql` function of postgres.js without a server; its statements are answered by the test. */
function createSql({
  connected = Promise.resolve(),
  /** When a cancel request is over. */
  acknowledged = Promise.reject(new Error('it is over')),
}: {
  connected?: Promise<void>
  acknowledged?: Promise<void>
} = {}) {
  acknowledged.catch(() => {})
  const statements: Statement[] = []
  const transactions: Promise<unknown>[] = []
  const ended: unknown[] = []
  const sql: Extract<PostgresPool, { unsafe: unknown }> = {
    unsafe(text) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
      const answer = () => resolve([{ answer: text }])
      const fail = (code: string) => reject(Object.assign(new Error('refused'), { code }))
      const statement = { text, isCancelled: false, isSimple: false, answer, fail }
      statements.push(statement)
      const cancel = () => {
        statement.isCancelled = true
        return acknowledged
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

  test('cancels a statement at its deadline', async () => {
    const { sql, statements } = createSql()
    await giveUp(createPostgresExecutor({ pool: sql }).query('select 1'))
    expect(statements).toMatchObject([{ text: 'select 1', isCancelled: true }])
  })

  test('cancels no answered statement, and undoes an uncommitted transaction', async () => {
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

  /** An executor after a statement whose cancel request is under way. */
  async function cancelled(acknowledged: Promise<void>, fails: 'begin' | 'commit' | null = null) {
    const { sql, statements } = createSql({ acknowledged })
    let begins = 0
    const pool: typeof sql = {
      ...sql,
      async begin(work) {
        if (++begins === 1 && fails === 'begin') throw hit
        const done = await sql.begin(work)
        if (fails === 'commit') throw hit
        return done
      },
    }
    const executor = createPostgresExecutor({ pool })
    await giveUp(executor.query('select 1'))
    statements.at(-1)?.answer()
    /** No time passes while it waits. */
    async function sent(count: number): Promise<void> {
      for (let turn = 0; turn < 10; turn++) await vi.advanceTimersByTimeAsync(0)
      expect(statements).toHaveLength(count)
    }
    return { executor, statements, sent }
  }
  const never = new Promise<void>(() => {})
  const hit = Object.assign(new Error('cancelled'), { code: '57014' })

  test('sends a statement again if the cancel request for another statement has hit it', async () => {
    const { executor, statements, sent } = await cancelled(never)
    const asked = executor.query('select 2')
    await sent(2)
    statements.at(-1)?.fail('57014')
    await sent(3)
    statements.at(-1)?.answer()
    expect(await asked).toEqual([{ answer: 'select 2' }])
  })

  test('sends no statement again that something else has cancelled', async () => {
    const { executor, statements, sent } = await cancelled(never)
    await vi.advanceTimersByTimeAsync(1000)
    const asked = expect(executor.query('select 2')).rejects.toMatchObject(outage)
    await sent(2)
    statements.at(-1)?.fail('57014')
    await asked
    expect(statements).toHaveLength(2)
  })

  test.each<[string, 'begin' | null]>([
    ['its first statement', null],
    ['its begin', 'begin'],
  ])(
    'begins a transaction again of which the cancel request for another statement has hit %s, and works once',
    async (_what, fails) => {
      const { executor, statements, sent } = await cancelled(Promise.resolve(), fails)
      let works = 0
      const asked = executor.transaction(async () => ++works)
      await sent(2)
      if (!fails) statements.at(-1)?.fail('57014')
      await sent(fails ? 2 : 3)
      statements.at(-1)?.answer()
      expect([await asked, works]).toEqual([1, 1])
    },
  )

  test('does not repeat a transaction whose commit was cancelled', async () => {
    const { executor, statements, sent } = await cancelled(Promise.resolve(), 'commit')
    let works = 0
    const asked = expect(executor.transaction(async () => ++works)).rejects.toMatchObject(outage)
    await sent(2)
    statements.at(-1)?.answer()
    await sent(2)
    await asked
    expect(works).toBe(1)
  })

  test('pauses a transaction while a cancel request is under way, for at most 100 ms', async () => {
    for (const isAcknowledged of [true, false]) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { executor, statements, sent } = await cancelled(promise)
      const asked = executor.transaction((query) => query('select 2'))
      await sent(2)
      statements.at(-1)?.answer()
      await vi.advanceTimersByTimeAsync(90)
      await sent(2)
      if (isAcknowledged) resolve()
      else await vi.advanceTimersByTimeAsync(10)
      await sent(3)
      statements.at(-1)?.answer()
      expect(await asked).toEqual([{ answer: 'select 2' }])
    }
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

  test('gets no statement if its connection comes after the deadline', async () => {
    const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
    const { sql, statements, transactions } = createSql({ connected })
    await giveUp(createPostgresExecutor({ pool: sql }).transaction((query) => query('select 1')))
    connect()
    await expect(transactions[0]).rejects.toThrow('aborted')
    expect(statements).toEqual([])
  })

  test('is closed with a limit of a second, because it would wait for lost connections', async () => {
    const { sql, ended } = createSql()
    await createPostgresExecutor({ pool: sql }).close()
    expect(ended).toEqual([{ timeout: 1 }])
  })
})
