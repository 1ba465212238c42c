import { setTimeout } from 'node:timers/promises'
import {
  createTcpProxy,
  expectWithin,
  findFreePort,
  patienceMs,
  startRedis,
  startStopwatch,
  type TcpProxy,
  type TestServer,
  useService,
} from '@latchkey/test-services'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

// What a visitor with a session sees while the servers behind the publication fail: 503 with Retry-After within 300 ms
// (350 ms when no connection of the pool is free), or the right answer, never that of another account, and no sign-out.
// Within 2 s of the end of a fault all is as before.

const viewer = '{ viewer { email } }'
/** A fault whose requests cannot be answered while it lasts. */
interface Fault {
  begin(): Promise<void> | void
  end(): Promise<void> | void
  readonly timesEach?: number
  readonly promisedMs?: number
}

const people = ['reader@example.com', 'author@example.com', 'admin@example.com'] as const

describe('the publication on PostgreSQL with its sessions on Redis', () => {
  const postgresUrl = useService('postgres')
  useService('redis')
  let service: Quickstart
  let redis: TestServer
  let proxy: TcpProxy
  let database: pg.Pool
  let visitors: readonly (readonly [email: string, visitor: Visitor])[] = []

  beforeAll(async () => {
    if (inject('postgres').url === null || inject('redis').url === null) return
    const server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    if (!server) throw new Error('redis-server is not installed')
    redis = server
    proxy = await createTcpProxy(Number(new URL(postgresUrl).port))
    const environment = await createServerEnvironment(postgresUrl, { redisUrl: redis.url, port: proxy.port })
    const name = new URL(environment.DATABASE_URL ?? '').pathname
    database = new pg.Pool({ connectionString: Object.assign(new URL(postgresUrl), { pathname: name }).href })
    const port = await findFreePort()
    service = await startQuickstart({ ...environment, PORT: String(port) }, nodeStart)
    visitors = people.map((email) => [email, createVisitor(`http://127.0.0.1:${port}`)])
    await signEverybodyIn()
  })
  afterAll(async () => {
    await service?.stop()
    await database?.end()
    await proxy?.close()
    await redis?.stop()
  })

  async function signEverybodyIn(): Promise<void> {
    for (const [email, visitor] of visitors) {
      const isIn = async () => (await visitor.signIn(email)).status === 200
      for (const end = performance.now() + patienceMs; !(await isIn()); await setTimeout(20)) {
        if (performance.now() > end) throw new Error(`${email} cannot sign in`)
      }
    }
  }

  /** One request of one visitor: an outage as promised, or the right answer. Returns its milliseconds. */
  async function askOnce([email, visitor]: (typeof visitors)[number], query = viewer): Promise<[number, number]> {
    const elapsed = startStopwatch(250, service.pid)
    const { status, headers, data, errors } = await visitor.ask(query)
    const elapsedMs = elapsed()
    if (status === 503) {
      expect(errors[0]?.extensions.code).toBe('SERVICE_UNAVAILABLE')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(data?.viewer ?? null).toBeNull()
    } else expect([status, data]).toEqual([200, { viewer: { email } }])
    expect(headers.getSetCookie()).toEqual([])
    return [status, elapsedMs]
  }

  /** Everybody asks, several times at once, in three rounds; returns the statuses that came. */
  async function askAll(fault: string, timesEach = 4, promisedMs = 300): Promise<ReadonlySet<number>> {
    const statuses = new Set<number>()
    const slowest: number[] = []
    for (let round = 0; round < 3; round++) {
      const asked = visitors.flatMap((person) => Array.from({ length: timesEach }, () => askOnce(person)))
      const answers = await Promise.all(asked)
      slowest.push(Math.max(...answers.map(([, ms]) => ms)))
      for (const [status] of answers) statuses.add(status)
    }
    expectWithin(promisedMs, `${fault}: ${visitors.length * timesEach} requests at once answered within`, slowest)
    return statuses
  }

  /** Asks until everybody has the right answer again, as themselves. */
  async function expectRecovery(fault: string): Promise<void> {
    const start = performance.now()
    for (;;) {
      const answers = await Promise.all(visitors.map((person) => askOnce(person)))
      if (answers.every(([status]) => status === 200)) break
      if (performance.now() - start > patienceMs) throw new Error(`${fault}: the service did not recover`)
      await setTimeout(20)
    }
    expectWithin(2000, `${fault}: everybody is back after`, performance.now() - start)
  }

  /** Everything of one fault, from its beginning until all is as before. */
  async function expectOutage(fault: string, { begin, end, timesEach = 4, promisedMs = 300 }: Fault): Promise<void> {
    await begin()
    try {
      expect([...(await askAll(fault, timesEach, promisedMs))]).toEqual([503])
      expect((await visitors[0]?.[1].ask('mutation { signOut }'))?.status).toBe(503)
      expect([...(await askAll(fault, 4, promisedMs))]).toEqual([503])
    } finally {
      await end()
    }
    await expectRecovery(fault)
  }

  test('a killed Redis restarts with its acknowledged records', async () => {
    await expectOutage('Redis killed', { begin: redis.kill, end: redis.start })
  })

  test('Redis hangs', async () => {
    await expectOutage('Redis hung', { begin: redis.pause, end: redis.resume })
  })

  test('Redis is slow', async () => {
    const client = new Redis(redis.url)
    onTestFinished(() => client.disconnect())
    await client.call('CLIENT', 'PAUSE', '1500', 'ALL')
    expect([...(await askAll('Redis slow'))]).toContain(503)
    await expectRecovery('Redis slow')
  })

  test('the connections to PostgreSQL are lost, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      proxy.cut()
      await askAll('PostgreSQL connections lost', 2)
    }
    await expectRecovery('PostgreSQL connections lost')
  })

  test('PostgreSQL cannot be reached', async () => {
    const begin = () => {
      proxy.refuse(true)
      proxy.cut()
    }
    await expectOutage('PostgreSQL refused', { begin, end: () => proxy.refuse(false) })
  })

  test('PostgreSQL hangs', async () => {
    await expectOutage('PostgreSQL hung', { begin: proxy.hold, end: proxy.release })
  })

  test('every connection of the pool waits for a lock', async () => {
    const holder = await database.connect()
    const begin = async () => {
      await holder.query('begin; lock table latchkey_accounts in access exclusive mode')
    }
    const end = async () => {
      await holder.query('rollback')
      holder.release()
    }
    // More than the pool has connections: those that come after find none that is free. All are opened again meanwhile.
    await expectOutage('pool exhausted', { begin, end, timesEach: 8, promisedMs: 350 })
  })

  test('a flushed Redis signs all users out, and they can sign in again', async () => {
    const client = new Redis(redis.url)
    onTestFinished(() => client.disconnect())
    await client.flushall()
    await client.script('FLUSH')
    for (const [, visitor] of visitors) expect((await visitor.ask(viewer)).status).toBe(401)
    const start = performance.now()
    await signEverybodyIn()
    process.stdout.write(
      `  Redis flushed: three people signed in again after ${(performance.now() - start).toFixed(0)} ms\n`,
    )
    await askAll('Redis flushed')
  })

  test('a replica of Redis is promoted and takes its place', async () => {
    const replica = await startRedis([
      '--repl-diskless-sync-delay',
      '0',
      '--replicaof',
      '127.0.0.1',
      String(redis.port),
    ])
    if (!replica) throw new Error('redis-server is not installed')
    onTestFinished(() => replica.stop())
    const [primary, promoted] = [new Redis(redis.url), new Redis(replica.url)]
    for (const client of [primary, promoted]) {
      client.on('error', () => {})
      onTestFinished(() => client.disconnect())
    }
    await expect.poll(() => primary.set('probe', '1').then(() => primary.wait(1, 100)), { timeout: 30_000 }).toBe(1)
    const end = async () => {
      await promoted.replicaof('NO', 'ONE')
      await promoted.config('SET', 'port', String(redis.port))
    }
    await expectOutage('Redis promoted', { begin: redis.kill, end })
  })
})
