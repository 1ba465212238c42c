import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createFreezingProxy, type FreezingProxy, findFreePort, patienceMs, useService } from '@latchkey/test-services'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startMixedTraffic } from '../support/mixed-traffic.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import {
  type Environment,
  type Quickstart,
  skewedStart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'

// Visitors of all kinds without a pause, while the database does not answer again and again. On PostgreSQL too, and ten
// minutes of each:
// TEST_TIER=3 vitest run --project faults-alone examples/quickstart/test/servers/soak.services.test.ts

const isLong = process.env.TEST_TIER === '3'
const seconds = isLong ? 600 : 24
const faultEverySeconds = 8
/** Longer than the deadline of a statement. */
const faultMs = 1500
/** Of the last part: what is kept for good would show, and what is kept up to a limit has been filled before. */
const growthAtMost = 5_000_000

/** The tables of a publication and the way to them. */
interface Bed {
  readonly environment: Environment
  /** Lets the database answer nothing for a while: it is locked, or the way to it is frozen. */
  fail(): Promise<void>
  /** Lets all that can expire have expired. */
  expireAll(): Promise<void>
  /** Returns how many rows of each table have expired and are still there. */
  countExpired(): Promise<unknown>
  close(): Promise<void>
}

const expiring = { latchkey_records: 'expires_at', latchkey_counters: 'reset_at' }
const expireText = Object.entries(expiring).map(([table, column]) => `update ${table} set ${column} = 1`)
const countText = `select ${Object.entries(expiring)
  .map(([table, column]) => `cast((select count(*) from ${table} where ${column} = 1) as integer) as ${table}`)
  .join(', ')}`
const noneExpired = Object.fromEntries(Object.keys(expiring).map((table) => [table, 0]))

const beds: Readonly<Record<string, (postgresUrl: string) => Promise<Bed>>> = {
  async SQLite() {
    const directory = await temporaryDirectory()
    const file = join(directory, 'publication.db')
    const open = <Result>(use: (database: DatabaseSync) => Result): Result => {
      const database = new DatabaseSync(file, { timeout: 5000 })
      try {
        return use(database)
      } finally {
        database.close()
      }
    }
    return {
      environment: { DATA_DIR: directory, TRUSTED_PROXIES: '127.0.0.1' },
      async fail() {
        const database = new DatabaseSync(file, { timeout: 5000 })
        database.exec('begin immediate')
        await setTimeout(faultMs)
        database.exec('rollback')
        database.close()
      },
      expireAll: async () => open((database) => database.exec(expireText.join(';'))),
      countExpired: async () => open((database) => database.prepare(countText).get()),
      close: async () => {},
    }
  },
  async PostgreSQL(postgresUrl) {
    const proxy: FreezingProxy = await createFreezingProxy(Number(new URL(postgresUrl).port))
    const environment = await createServerEnvironment(postgresUrl, { port: proxy.port })
    const { pathname } = new URL(environment.DATABASE_URL ?? '')
    const database = new pg.Pool({ connectionString: Object.assign(new URL(postgresUrl), { pathname }).href, max: 1 })
    return {
      environment: { ...environment, PORT: String(await findFreePort()) },
      async fail() {
        proxy.freeze()
        await setTimeout(faultMs)
        proxy.thaw()
      },
      async expireAll() {
        for (const text of expireText) await database.query(text)
      },
      countExpired: async () => (await database.query(countText)).rows[0],
      async close() {
        await database.end()
        await proxy.close()
      },
    }
  },
}

describe.each(Object.entries(beds).slice(0, isLong ? undefined : 1))('%s', (_name, make) => {
  const postgres = useService('postgres')
  let bed: Bed
  let service: Quickstart

  beforeEach(async () => {
    bed = await make(postgres)
    const [node, ...words] = skewedStart
    const heap = pathToFileURL(new URL('../support/report-heap.ts', import.meta.url).pathname).href
    const environment = { ...bed.environment, MINUTE_MS: '1000' }
    service = await startQuickstart(environment, [node, '--expose-gc', '--import', heap, ...words])
  })
  afterEach(async () => {
    await service?.kill()
    await bed?.close()
  })

  async function readHeap(): Promise<number> {
    const printed = () => [...service.output().matchAll(/heap in use: (\d+)/g)].map(([, bytes]) => Number(bytes))
    const before = printed().length
    process.kill(service.pid ?? 0, 'SIGUSR2')
    await expect.poll(() => printed().length, { timeout: patienceMs }).toBe(before + 1)
    return printed().at(-1) ?? 0
  }

  async function failAtTimes(forSeconds: number): Promise<void> {
    const endsAt = performance.now() + forSeconds * 1000
    while (performance.now() < endsAt) {
      await setTimeout(Math.min(faultEverySeconds * 1000, Math.max(0, endsAt - performance.now())))
      await bed.fail()
    }
  }

  test('constant visitors and faults leave no permanent record, cause no 500, and expired records are removed', {
    timeout: seconds * 1000 + 120_000,
  }, async () => {
    const traffic = startMixedTraffic(service.url)
    await failAtTimes((seconds * 2) / 3)
    const before = await readHeap()
    await failAtTimes(seconds / 3)
    await traffic.stop()
    const growth = (await readHeap()) - before
    const { statuses } = traffic
    console.log(`statuses ${JSON.stringify(Object.fromEntries(statuses))}; heap ${before} + ${growth}`)
    const expected = [200, 303, 400, 401, 403, 404, 413, 415, 429, 503]
    expect([...statuses.keys()].filter((status) => !expected.includes(status))).toEqual([])
    expect(statuses.get(200) ?? 0).toBeGreaterThan(seconds)
    expect(growth).toBeLessThan(growthAtMost)
    expect(service.output()).not.toMatch(/unhandled|uncaught|out of memory/i)

    await bed.expireAll()
    const last = startMixedTraffic(service.url)
    await expect.poll(() => bed.countExpired(), { timeout: 60_000, interval: 500 }).toEqual(noneExpired)
    await last.stop()
    expect(await service.stop()).toBe(0)
  })
})
