import {
  createPostgresBroadcast,
  createPostgresExecutor,
  createPostgresStores,
  type PostgresExecutor,
  type SqlStores,
} from '@latchkey/sql'
import {
  createFreezingProxy,
  expectWithin,
  type FreezingProxy,
  patienceMs,
  startPostgres,
  startStopwatch,
  type TestServer,
  useService,
} from '@latchkey/test-services'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPostgresDatabase } from './postgres-database.ts'

const url = useService('postgres')
const rounds = process.env.TEST_TIER === '3' ? 10 : 3

async function freezingProxy(port: number): Promise<FreezingProxy> {
  const proxy = await createFreezingProxy(port)
  onTestFinished(() => proxy.close())
  return proxy
}

interface Opened {
  readonly stores: SqlStores
  readonly executor: PostgresExecutor
}

/** The stores and the statements of an application, each on a pool as it is without any option of its own. */
async function open(database: string, port: number): Promise<Opened> {
  const connectionString = Object.assign(new URL(database), { port: String(port) }).href
  const migrated = createPostgresStores({ pool: new pg.Pool({ connectionString: database }) })
  await migrated.migrate()
  await migrated.close()
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString, max: 4 }) })
  const executor = createPostgresExecutor({ pool: new pg.Pool({ connectionString, max: 4 }) })
  onTestFinished(async () => void (await Promise.all([stores.close(), executor.close()])))
  return { stores, executor }
}

const subjects = [
  ['the stores', ({ stores }: Opened) => stores.records.get('se_unknown')],
  ['an executor', ({ executor }: Opened) => executor.query('select 1 as one')],
] as const

async function timeToFail(call: () => Promise<unknown>): Promise<number> {
  const elapsed = startStopwatch(250)
  const outcome = await call().then(
    () => null,
    (error: unknown) => error,
  )
  const elapsedMs = elapsed()
  expect(outcome).toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  return elapsedMs
}

/** Four at once, so that every connection of the pool is used, until a busy machine has answered all in time. */
const warmUp = (call: () => Promise<unknown>) =>
  vi.waitFor(() => Promise.all(Array.from({ length: 4 }, call)), { timeout: patienceMs })

async function timeToRecover(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  while (performance.now() - start < patienceMs) {
    const isAnswered = await call().then(
      () => true,
      () => false,
    )
    if (isAnswered) return performance.now() - start
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it did not recover')
}

describe.each(subjects)('connections of %s that', (name, ask) => {
  test('are dead without a word are given up after one statement, in each round', async () => {
    const database = await createPostgresDatabase(url)
    const proxy = await freezingProxy(Number(new URL(url).port))
    const opened = await open(database, proxy.port)
    const call = () => ask(opened)
    const [failed, recovered]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      await warmUp(call)
      proxy.freeze({ halfOpen: true })
      failed.push(await timeToFail(call))
      recovered.push(await timeToRecover(call))
    }
    expectWithin(300, `${name}: half-open connections: StoreError after`, failed)
    expectWithin(250, `${name}: half-open connections: works again after`, recovered)
  })

  test('are not answered while they are opened keep no place in the pool', async () => {
    const database = await createPostgresDatabase(url)
    const proxy = await freezingProxy(Number(new URL(url).port))
    const opened = await open(database, proxy.port)
    proxy.freeze()
    await Promise.all(Array.from({ length: 12 }, () => timeToFail(() => ask(opened))))
    // Those that were being opened are forgotten by the other end, as by a firewall.
    proxy.freeze({ halfOpen: true })
    proxy.thaw()
    const recoveredMs = await timeToRecover(() => ask(opened))
    // The limit for opening a connection, 5 s, and what a busy machine adds.
    expectWithin(6000, `${name}: connections that hang while they are opened: works again after`, recoveredMs)
  })
})

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

async function ownServer(): Promise<TestServer> {
  const server = await startPostgres()
  if (!server) throw new Error('PostgreSQL is not installed')
  onTestFinished(() => server.stop())
  return server
}

test('a change with returning that failed on a hung server is not applied when the server resumes', async () => {
  const server = await ownServer()
  const executor = createPostgresExecutor({ pool: new pg.Pool({ connectionString: server.url, max: 2 }) })
  onTestFinished(() => executor.close())
  await timeToRecover(() => executor.check())
  await executor.script('create table notes (text text)')
  await warmUp(() => executor.query('select 1'))
  server.pause()
  await timeToFail(() => executor.query('insert into notes values ($1) returning text', ['late']))
  await timeToFail(() => executor.transaction((query) => query('insert into notes values ($1)', ['late'])))
  server.resume()
  await timeToRecover(() => executor.check())
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await executor.query('select text from notes')).toEqual([])
})

test('a broadcast that is closed while the server hangs leaves no socket open', async () => {
  const server = await ownServer()
  const broadcast = createPostgresBroadcast({
    async connect() {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client
    },
  })
  const before = sockets()
  await broadcast.listen('topic')
  expect(sockets()).toBe(before + 1)
  server.pause()
  try {
    const elapsed = startStopwatch(1000)
    await broadcast.close()
    expectWithin(2000, 'broadcast closed while the server hangs, after', elapsed())
    await expect.poll(sockets).toBe(before)
  } finally {
    server.resume()
  }
})

test('closing ends within two seconds while the server hangs, and leaves no socket open', async () => {
  const server = await ownServer()
  const { stores, executor } = await open(server.url, server.port)
  for (const call of [() => stores.records.get('se_unknown'), () => executor.query('select 1')]) {
    await timeToRecover(call)
    await warmUp(call)
  }
  const before = sockets()
  expect(before).toBeGreaterThanOrEqual(8)
  server.pause()
  try {
    const elapsed = startStopwatch(1000)
    await Promise.all([stores.close(), executor.close()])
    expectWithin(2000, 'closed while the server hangs, after', elapsed())
    await expect.poll(sockets).toBeLessThanOrEqual(before - 8)
  } finally {
    server.resume()
  }
})
