import { setTimeout } from 'node:timers/promises'
import { createPostgresStores, type PostgresPool, type SqlStores } from '@latchkey/sql'
import { createTcpProxy, patienceMs, startPostgres, type TcpProxy, type TestServer } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { expectOutage, expectRecovery } from '../measure.ts'

let server: TestServer | null
let proxy: TcpProxy
let direct: pg.Pool
/** The same tables past all faults, for what is not measured: no load of the machine makes these fail. */
let calm: SqlStores

beforeAll(async () => {
  server = await startPostgres()
  if (!server) return
  proxy = await createTcpProxy(server.port)
  direct = new pg.Pool({ connectionString: server.url })
  direct.on('error', () => {})
  const calmPool = new pg.Pool({ connectionString: server.url, application_name: 'calm' })
  calm = createPostgresStores({ pool: calmPool, deadlineMs: 10_000 })
  await calm.migrate()
})
afterAll(async () => {
  await calm?.close()
  await direct?.end()
  await proxy?.close()
  await server?.stop()
})
beforeEach(({ skip }) => skip(server === null, 'PostgreSQL is not installed'))

const drivers: readonly (readonly [name: string, open: (url: string, max: number) => PostgresPool])[] = [
  ['pg', (connectionString, max) => new pg.Pool({ connectionString, max })],
  ['postgres.js', (url, max) => postgres(url, { max, onnotice: () => {}, backoff: () => 0.05, connect_timeout: 2 })],
]

let keys = 0
const newRecord = () => ({
  key: `se_${process.pid}_${++keys}`,
  owner: 'acc_1',
  expiresAt: Date.now() + 3_600_000,
  value: 'first',
})

describe.each(drivers)('%s', (_driver, open) => {
  let stores: SqlStores
  let record: ReturnType<typeof newRecord>
  const read = () => stores.records.get(record.key)
  /** What the database holds, and a change that it takes once. */
  const look = () => calm.records.get(record.key)
  const settle = () => calm.records.replace({ ...record, version: 1 }, { ...record, value: 'second' })
  const warmUp = () => vi.waitFor(() => Promise.all(Array.from({ length: 4 }, read)), { timeout: patienceMs })
  const swap = () => stores.records.replace({ ...record, version: 1 }, { ...record, value: 'second' })

  const openPool = () => open(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`, 4)

  /** A change through the proxy whose own deadline is far: what ends it is the connection. */
  async function openPatientSwap(): Promise<() => Promise<boolean>> {
    const patient = createPostgresStores({ pool: openPool(), deadlineMs: 10_000 })
    onTestFinished(() => patient.close())
    // It has a connection then, and has compared the clocks.
    await patient.records.touch(record, record.expiresAt)
    return () => patient.records.replace({ ...record, version: 1 }, { ...record, value: 'second' })
  }

  beforeEach(async () => {
    if (!server) return
    stores = createPostgresStores({ pool: openPool() })
    record = newRecord()
    await expectWorking(() => stores.records.insert(record))
  })
  afterEach(async () => {
    await stores?.close()
  })

  test('connections killed between two statements: an outage or right, then as before', async () => {
    for (let round = 0; round < 5; round++) {
      await killBackends()
      const answer = await read().catch((error: { code?: string }) => error.code)
      expect([expect.objectContaining({ value: 'first' }), 'STORE_UNAVAILABLE']).toContainEqual(answer)
    }
    await expectRecovery('after killed connections', read)
    expect(await settle()).toBe(true)
  })

  test('a connection lost before the server receives a change: the change is not applied', async () => {
    const patientSwap = await openPatientSwap()
    const lost = proxy.cutAt('request', (chunk) => chunk.includes('second'))
    await expectOutage('cut before', patientSwap)
    await lost
    await expectRecovery('after the cut', read)
    expect(await look()).toMatchObject({ version: 1, value: 'first' })
    expect(await settle()).toBe(true)
  })

  test('a connection lost after the server has done a change: the caller hears of an outage, and it is not done twice', async () => {
    const patientSwap = await openPatientSwap()
    // The last packet of the exchange says that the statement is complete.
    const lost = proxy.cutAt('reply', (chunk) => chunk.includes('UPDATE') || chunk.includes('SELECT 1'))
    await expectOutage('cut after', patientSwap)
    await lost
    await expectRecovery('after the cut', read)
    expect(await look()).toMatchObject({ version: 2, value: 'second' })
    expect(await settle()).toBe(false)
  })

  test('a server that is killed and comes back', async () => {
    await server?.kill()
    await expectOutage('server killed, first operation', read)
    await expectOutage('server killed, read', read)
    await expectOutage('server killed, change', swap)
    await server?.start()
    await expectRecovery('after the restart', read)
    expect(await look()).toMatchObject({ version: 1, value: 'first' })
    expect(await settle()).toBe(true)
  })

  test('a server that hangs: every caller gets an outage in time, and no change is applied when it resumes', async () => {
    // What is sent over a connection that is open lies in the server's socket; one change has a connection for sure.
    await warmUp()
    server?.pause()
    const outages = [
      expectOutage('server hung, change', swap),
      expectOutage('server hung, insert', () => stores.records.insert({ ...record, key: `${record.key}_late` })),
      expectOutage('server hung, count', () => stores.counters.hit(`${record.key}_hits`, 60_000)),
      expectOutage('server hung, read', read),
      ...Array.from({ length: 20 }, (_none, index) => expectOutage(`server hung, waiting ${index}`, read)),
    ]
    await Promise.all(outages).finally(() => setTimeout(150).then(() => server?.resume()))
    await setTimeout(150)
    await expectRecovery('after the hang', read)
    // Give what lies in the sockets the time to be done.
    await setTimeout(300)
    expect(await look()).toMatchObject({ version: 1, value: 'first' })
    expect(await calm.records.get(`${record.key}_late`)).toBeNull()
    expect(await calm.counters.hit(`${record.key}_hits`, 60_000)).toMatchObject({ count: 1 })
    expect(await settle()).toBe(true)
  })

  test('a network that holds all packets: every caller gets an outage in time, and no held change is applied later', async () => {
    await warmUp()
    proxy.hold()
    await Promise.all([expectOutage('network held, change', swap), expectOutage('network held, read', read)])
    await setTimeout(100)
    proxy.release()
    await expectRecovery('after the network', read)
    await setTimeout(200)
    expect(await look()).toMatchObject({ version: 1, value: 'first' })
    expect(await settle()).toBe(true)
  })

  test('a row that another client has locked: an outage in time, and no change when it is free', async () => {
    const holder = await direct.connect()
    await holder.query('begin')
    await holder.query('select 1 from latchkey_records where key = $1 for update', [record.key])
    await expectOutage('row locked', swap)
    await setTimeout(100)
    await holder.query('rollback')
    holder.release()
    await setTimeout(100)
    expect(await look()).toMatchObject({ version: 1 })
    expect(await settle()).toBe(true)
  })

  test('a pool without a free connection: an outage in time, and statements work when a connection is free', async () => {
    const other = newRecord()
    await calm.records.insert(other)
    const holder = await direct.connect()
    await holder.query('begin')
    await holder.query('select 1 from latchkey_records where key = $1 for update', [record.key])
    const waiting = Array.from({ length: 4 }, () => expectOutage('row locked', swap))
    await setTimeout(20)
    await Promise.all([
      ...waiting,
      ...Array.from({ length: 10 }, () => expectOutageOrAnswer(() => stores.records.get(other.key))),
    ])
    await holder.query('rollback')
    holder.release()
    await expectRecovery('after the exhausted pool', () => stores.records.get(other.key))
    expect(await look()).toMatchObject({ version: 1 })
  })

  test('a server that has no connection to spare', async () => {
    const crowd = new pg.Pool({ connectionString: server?.url, max: 210 })
    crowd.on('error', () => {})
    const late = createPostgresStores({ pool: openPool() })
    const clients = await Promise.allSettled(Array.from({ length: 210 }, () => crowd.connect()))
    await expectOutage('no connection to spare', () => late.records.get(record.key))
    for (const client of clients) if (client.status === 'fulfilled') client.value.release(true)
    await expectRecovery('after the crowd', () => late.records.get(record.key))
    await late.close()
    await crowd.end()
  })
})

/** Right after a fault of the test before, the first attempts may meet what it left. */
async function expectWorking(operation: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return void (await operation())
    } catch (error) {
      if (attempt === 20) throw error
      await setTimeout(50)
    }
  }
}

async function expectOutageOrAnswer(operation: () => Promise<unknown>): Promise<void> {
  const answer = await operation().catch((error: { code?: string }) => error.code)
  expect([expect.objectContaining({ value: 'first' }), 'STORE_UNAVAILABLE']).toContainEqual(answer)
}

async function killBackends(): Promise<void> {
  await direct.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and backend_type = 'client backend' and application_name <> 'calm'`)
}
