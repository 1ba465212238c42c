import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, useService } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { type Environment, type Quickstart, skewedStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

// Four processes on an empty store, in the long mode ten times: every one of them serves, and the store is filled once.

const rounds = process.env.TEST_TIER === '3' ? 10 : 1
const minute = 60_000
/** Two of four processes have a wrong clock where the store has one; those on a file have that of their machine. */
const skews = [0, 10 * minute, -10 * minute, 0]
const noSkews = skews.map(() => 0)
const limitMs = 900_000
const articles = '{ articles(first: 50) { id author { name } comments { id } } }'

async function startFour(environment: Environment, skewsMs: readonly number[]): Promise<readonly Quickstart[]> {
  const ports = await Promise.all(skewsMs.map(findFreePort))
  const starting = skewsMs.map((skewMs, index) =>
    startQuickstart({ ...environment, SKEW_MS: String(skewMs), PORT: String(ports[index]) }, skewedStart),
  )
  const outcomes = await Promise.allSettled(starting)
  const failures = outcomes.filter(({ status }) => status === 'rejected')
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (failures.length > 0) await Promise.all(started.map((service) => service.stop()))
  expect(failures).toEqual([])
  return started
}

async function expectRound(environment: Environment, skewsMs: readonly number[]): Promise<void> {
  const services = await startFour(environment, skewsMs)
  try {
    const visitors = services.map(({ url }) => createVisitor(url, { isPatient: true }))
    const lists = await Promise.all(visitors.map(async (visitor) => (await visitor.ask(articles)).data.articles))
    expect(lists[0]).toHaveLength(16)
    for (const list of lists) expect(list).toEqual(lists[0])
    const signedIn = await visitors[0]?.signIn('admin@example.com')
    expect(signedIn?.status).toBe(200)
    const accounts = (await visitors[0]?.ask('{ accounts { email } }'))?.data.accounts
    expect(accounts).toHaveLength(5)
  } finally {
    const codes = await Promise.all(services.map((service) => service.stop()))
    expect(codes).toEqual(services.map(() => 0))
  }
}

describe('four processes that start at once', () => {
  const postgres = useService('postgres')
  const redis = useService('redis')

  test.each(['alone', 'with the records on Redis'])(
    'on an empty PostgreSQL %s all serve, two with a wrong clock, and it is filled once, in each round',
    { timeout: limitMs },
    async (how) => {
      const on = how === 'alone' ? {} : { redisUrl: redis }
      for (let round = 0; round < rounds; round++) await expectRound(await createServerEnvironment(postgres, on), skews)
    },
  )

  test('on an empty SQLite file all serve, and it is filled once, in each round', { timeout: limitMs }, async () => {
    for (let round = 0; round < rounds; round++) {
      const directory = await mkdtemp(join(tmpdir(), 'latchkey-together-'))
      const secret = randomBytes(32).toString('base64url')
      const environment = { DATA_DIR: directory, LATCHKEY_SECRET: secret, PUBLIC_URL: 'http://127.0.0.1:4000' }
      await expectRound(environment, noSkews)
    }
  })
})
