import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, useService } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { type Environment, nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

// Four processes on an empty store, ten times on each: every one of them serves, and the store is filled once.

const rounds = 10
const processes = 4
const limitMs = 900_000
const articles = '{ articles(first: 50) { id author { name } comments { id } } }'

async function startFour(environment: Environment): Promise<readonly Quickstart[]> {
  const ports = await Promise.all(Array.from({ length: processes }, findFreePort))
  const starting = ports.map((port) => startQuickstart({ ...environment, PORT: String(port) }, nodeStart))
  const outcomes = await Promise.allSettled(starting)
  const failures = outcomes.filter(({ status }) => status === 'rejected')
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (failures.length > 0) await Promise.all(started.map((service) => service.stop()))
  expect(failures).toEqual([])
  return started
}

async function expectRound(environment: Environment): Promise<void> {
  const services = await startFour(environment)
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

  test('on an empty PostgreSQL all serve, and it is filled once, in ten rounds', { timeout: limitMs }, async () => {
    for (let round = 0; round < rounds; round++) await expectRound(await createServerEnvironment(postgres))
  })

  test('on an empty SQLite file all serve, and it is filled once, in ten rounds', { timeout: limitMs }, async () => {
    for (let round = 0; round < rounds; round++) {
      const directory = await mkdtemp(join(tmpdir(), 'latchkey-together-'))
      const secret = randomBytes(32).toString('base64url')
      await expectRound({ DATA_DIR: directory, LATCHKEY_SECRET: secret, PUBLIC_URL: 'http://127.0.0.1:4000' })
    }
  })
})
