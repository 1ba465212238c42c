import { createPostgresExecutor, createPostgresStores, type PostgresExecutor, type PostgresPool } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { textOf } from './postgres-database.ts'

type PgClient = Awaited<ReturnType<Extract<PostgresPool, { connect: unknown }>['connect']>>
type PgPool = Extract<PostgresPool, { connect: unknown }>

const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const never = () => new Promise<never>(() => {})

type Listener = (...given: never[]) => void

interface FakeClient extends PgClient {
  readonly sent: string[]
  readonly released: boolean[]
  readonly destroy: () => unknown
  readonly listeners: Record<string, Listener[]>
  readonly emit: (event: string) => void
}

interface FakePool {
  readonly pool: PgPool
  readonly clients: readonly FakeClient[]
  /** Answers a statement; by default with no rows. */
  answer: (text: string, client: FakeClient) => Promise<unknown>
}

type Parts = Partial<Pick<PgPool, 'end' | 'on' | 'options'>> & { readonly bare?: boolean; readonly noStream?: boolean }

/** A `Pool` of `pg` without a server, which lends the connection that was returned last; `bare`: without events and sockets. */
function createPool({ bare = false, noStream = false, end = async () => {}, ...parts }: Parts = {}): FakePool {
  const clients: FakeClient[] = []
  const idle: FakeClient[] = []
  const fake: FakePool = {
    clients,
    answer: async () => {},
    pool: { ...parts, end, connect: async () => idle.pop() ?? createClient() },
  }
  function createClient(): FakeClient {
    const destroy = vi.fn()
    const listeners: FakeClient['listeners'] = {}
    const client: FakeClient = {
      sent: [],
      released: [],
      destroy,
      listeners,
      emit: (event) => listeners[event]?.forEach((listener) => void listener()),
      async query(asked) {
        const text = textOf(asked)
        client.sent.push(text)
        const rows = await fake.answer(text, client)
        return { rows: Array.isArray(rows) ? rows : [] }
      },
      release(isBroken) {
        client.released.push(isBroken === true)
        if (!isBroken) idle.push(client)
      },
      ...(!bare && {
        connection: noStream ? {} : { stream: { destroy } },
        on(event: string, listener: Listener) {
          listeners[event] = [...(listeners[event] ?? []), listener]
        },
      }),
    }
    clients.push(client)
    return client
  }
  return fake
}

function open(parts?: Parts): FakePool & PostgresExecutor {
  const fake = createPool(parts)
  return Object.assign(fake, createPostgresExecutor({ pool: fake.pool }))
}

/** Advances all clocks until the outage at the deadline. */
async function giveUp(asked: Promise<unknown>): Promise<void> {
  const refused = expect(asked).rejects.toMatchObject(outage)
  await vi.advanceTimersByTimeAsync(251)
  await refused
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.advanceTimersByTime(1000)
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a pool', () => {
  test.each([
    [{}, 5000],
    [{ connectionTimeoutMillis: 0 }, 5000],
    [{ connectionTimeoutMillis: 100 }, 100],
  ])('has a limit for opening a connection: %j', (options: { connectionTimeoutMillis?: number }, limitMs) => {
    open({ options })
    expect(options.connectionTimeoutMillis).toBe(limitMs)
  })

  test('may lose an idle connection, which does not end the process', () => {
    const on = vi.fn<NonNullable<PgPool['on']>>()
    open({ on })
    expect(on.mock.calls.map(([event]) => event)).toEqual(['error'])
    expect(on.mock.calls[0]?.[1](new Error('reset'))).toBeUndefined()
  })
})

test('the first check opens all connections of the pool and prepares reads on each, and the next check does not', async () => {
  const fake = createPool({ options: { max: 3 } })
  const answers = { migrations: [{ version: 99, usable_by: 1 }], 'as now': [{ now: Date.now() }] }
  fake.answer = async (text) => Object.entries(answers).find(([part]) => text.includes(part))?.[1]
  const stores = createPostgresStores({ pool: fake.pool })
  const reads = () =>
    fake.clients.map(({ sent }) => sent.filter((text) => /^select .* latchkey_accounts/s.test(text)).length)
  await stores.check()
  const first = reads()
  expect(first).toHaveLength(3)
  for (const count of first) expect(count).toBeGreaterThan(0)
  await stores.check()
  expect(reads()).toEqual(first)
})

describe('a connection', () => {
  test('is not cut after its return to the pool for a statement of another connection', async () => {
    const fake = createPool()
    const version = [{ version: 99, usable_by: 1 }]
    fake.answer = async (text) => (text.includes('as now') ? never() : text.includes('migrations') ? version : [])
    await giveUp(createPostgresStores({ pool: fake.pool }).check())
    expect(fake.clients.map(({ released }) => released)).toEqual([[false, true]])
  })

  test('gets its listeners once, even if the statement is refused, and no other statement is sent', async () => {
    const executor = open()
    executor.answer = () => Promise.reject(refusal('23505'))
    for (const text of ['select 1', 'select 2']) {
      await expect(executor.query(text)).rejects.toMatchObject({ code: '23505' })
    }
    const [client] = executor.clients
    expect(executor.clients).toHaveLength(1)
    expect(client?.sent).toEqual(['select 1', 'select 2'])
    expect(client?.released).toEqual([false, false])
    expect([client?.listeners.error?.length, client?.listeners.end?.length]).toEqual([1, 1])
    client?.emit('error')
  })

  test.each([
    ['42703', true],
    ['42723', true],
    ['57P01', true],
    ['ECONNRESET', true],
    ['22P02', false],
  ])('is closed after the failure %s: %j', async (code, isClosed) => {
    const executor = open()
    executor.answer = async (text) => text.startsWith('select') && Promise.reject(refusal(code))
    await executor.query('select 1').catch(() => {})
    expect(executor.clients.map(({ released }) => released)).toEqual([[isClosed]])
  })

  test('is used for the next attempt if the server undid its statement for others', async () => {
    const executor = open()
    let refusals = 1
    executor.answer = async (text) => text.startsWith('select') && refusals-- > 0 && Promise.reject(refusal('40001'))
    const done = executor.query('select 1')
    await vi.advanceTimersByTimeAsync(10)
    await done
    expect(executor.clients.map(({ released }) => released)).toEqual([[false, false]])
  })

  test('is closed if its script failed, because a transaction may be open', async () => {
    const executor = open()
    executor.answer = async (text) => text.includes('insert') && Promise.reject(refusal('23505'))
    await expect(executor.script('begin; insert')).rejects.toMatchObject({ code: '23505' })
    expect(executor.clients.map(({ released }) => released)).toEqual([[true]])
  })

  test.each([{}, { bare: true }, { noStream: true }])(
    'is cut at once and released once if it did not answer, even if its answer comes later: %j',
    async (parts) => {
      const executor = open(parts)
      const { promise: answered, resolve } = Promise.withResolvers<void>()
      executor.answer = (text) => (text === 'select 1' ? answered : Promise.resolve())
      await giveUp(executor.query('select 1'))
      const [client] = executor.clients
      expect(client?.released).toEqual([true])
      expect(client?.destroy).toHaveBeenCalledTimes(parts.bare || parts.noStream ? 0 : 1)
      client?.emit('end')
      resolve()
      await vi.advanceTimersByTimeAsync(0)
      expect(client?.released).toEqual([true])
      // It is known no more: nothing waits for its end.
      await executor.close()
    },
  )

  test('is cut even if no cancel request can be sent', async () => {
    const executor = open()
    executor.answer = (text, client) => {
      const stream = { destroy: client.destroy, remoteAddress: '127.0.0.1', remotePort: 70_000 }
      Object.assign(client, { processID: 1, secretKey: 2, connection: { stream } })
      return text === 'select 1' ? never() : Promise.resolve()
    }
    await giveUp(executor.query('select 1'))
    expect(executor.clients[0]?.released).toEqual([true])
    expect(executor.clients[0]?.destroy).toHaveBeenCalledTimes(1)
  })
})

describe('a connection that was idle while another connection was silent', () => {
  /** Two idle connections; the one that is lent next is silent. */
  async function openTwo() {
    const executor = open()
    await Promise.all([executor.query('select 1'), executor.query('select 1')])
    await vi.advanceTimersByTimeAsync(10)
    const silent = Promise.withResolvers<FakeClient>()
    executor.answer = (text, client) => {
      if (text !== 'hang') return Promise.resolve()
      silent.resolve(client)
      return never()
    }
    const asked = executor.query('hang')
    const hung = await silent.promise
    const other = executor.clients.find((client) => client !== hung)!
    return { executor, asked, other }
  }

  test('is closed before it is used, and a new connection is used instead, and again', async () => {
    const { executor, asked, other } = await openTwo()
    await giveUp(asked)
    for (const text of ['select 2', 'select 3']) await executor.query(text)
    expect(other.released).toEqual([false, true])
    expect(other.sent).not.toContain('select 2')
    expect(other.destroy).toHaveBeenCalledTimes(1)
    expect(executor.clients).toHaveLength(3)
    expect(executor.clients[2]?.sent).toEqual(['select 2', 'select 3'])
  })

  test('is used when the server has answered since', async () => {
    const { executor, asked, other } = await openTwo()
    await vi.advanceTimersByTimeAsync(10)
    await executor.query('select 2')
    await giveUp(asked)
    await executor.query('select 3')
    expect(other.sent).toEqual(['select 1', 'select 2', 'select 3'])
  })

  test('is used when the silent one was opened for its statement: the server has answered then', async () => {
    const executor = open()
    await executor.query('select 1')
    await vi.advanceTimersByTimeAsync(10)
    const { promise: refused, reject } = Promise.withResolvers<never>()
    executor.answer = (text) => (text === 'hang' ? never() : text === 'refused' ? refused : Promise.resolve())
    const first = expect(executor.query('refused')).rejects.toMatchObject({ code: '23505' })
    const asked = executor.query('hang')
    reject(refusal('23505'))
    await first
    await giveUp(asked)
    await executor.query('select 2')
    expect(executor.clients.map(({ sent }) => sent.at(-1))).toEqual(['select 2', 'hang'])
  })
})

describe('a transaction', () => {
  test('has its limit, is committed, and returns the connection', async () => {
    const executor = open()
    expect(await executor.transaction(async (query) => (await query('insert')).length, { deadlineMs: 99.5 })).toBe(0)
    expect(executor.clients.map(({ sent, released }) => [sent, released])).toEqual([
      [['begin', 'set local statement_timeout = 100', 'insert', 'commit'], [false]],
    ])
  })

  test('is rolled back if its work throws, and the connection is used again', async () => {
    const executor = open()
    const thrown = new Error('no')
    await expect(executor.transaction(() => Promise.reject(thrown))).rejects.toBe(thrown)
    const [client] = executor.clients
    expect([client?.sent.at(-1), client?.released]).toEqual(['rollback', [false]])
  })

  test.each(['begin', 'set local', 'rollback'])('closes the connection if its "%s" fails', async (failing) => {
    const executor = open()
    executor.answer = async (text) => text.startsWith(failing) && Promise.reject(refusal('57P01'))
    await expect(executor.transaction(() => Promise.reject(new Error('no')))).rejects.toMatchObject(outage)
    expect(executor.clients.map(({ released }) => released)).toEqual([[true]])
  })

  test.each([
    ['done', 'commit'],
    ['thrown', 'rollback'],
  ])('with work that is %s after the deadline sends no "%s"', async (outcome) => {
    const executor = open()
    const { promise: worked, resolve, reject } = Promise.withResolvers<void>()
    await giveUp(executor.transaction(() => worked))
    outcome === 'done' ? resolve() : reject(new Error('no'))
    await vi.advanceTimersByTimeAsync(0)
    const [client] = executor.clients
    expect(client?.sent).toEqual(['begin', 'set local statement_timeout = 250'])
    expect(client?.released).toEqual([true])
  })
})

describe('closing', () => {
  test('waits for the connections that are open, and for no other', async () => {
    const executor = open()
    await Promise.all([executor.query('select 1'), executor.query('select 1')])
    const [first, second] = executor.clients
    second?.emit('end')
    const isClosed = vi.fn()
    const closing = executor.close().then(isClosed)
    await vi.advanceTimersByTimeAsync(500)
    expect(isClosed).not.toHaveBeenCalled()
    first?.emit('end')
    await closing
    expect(vi.getTimerCount()).toBe(0)
    expect(first?.destroy).not.toHaveBeenCalled()
  })

  test('does not wait for connections that do not report their close', async () => {
    const executor = open({ bare: true })
    await executor.query('select 1')
    await executor.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([{}, { bare: true }, { noStream: true }])('cuts after a second what does not end: %j', async (parts) => {
    const executor = open({ ...parts, end: never })
    await executor.query('select 1')
    const isClosed = vi.fn()
    const closing = executor.close().then(isClosed)
    await vi.advanceTimersByTimeAsync(999)
    expect(isClosed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await closing
    expect(executor.clients[0]?.destroy).toHaveBeenCalledTimes(parts.bare || parts.noStream ? 0 : 1)
  })
})

function refusal(code: string): Error {
  return Object.assign(new Error('refused'), { code })
}
