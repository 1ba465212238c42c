import {
  createFreezingProxy,
  expectWithin,
  type FreezingProxy,
  findFreePort,
  patienceMs,
  startPostgres,
  startRedis,
  startStopwatch,
  type TestServer,
  useService,
} from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { type Answer, createVisitor, type Visitor } from '../support/visitor.ts'

// PostgreSQL or Redis stopped, or silently gone: what a visitor without a session sees, what /readyz says, and that the
// process ends when it is asked to.

const rounds = process.env.TEST_TIER === '3' ? 10 : 3
const publicLists = '{ articles(first: 3) { title comments { text } } }'

interface Scene {
  readonly service: Quickstart
  readonly url: string
  readonly postgres: TestServer
  readonly redis: TestServer
  readonly proxy: FreezingProxy
  readonly redisProxy: FreezingProxy
}

/** A server of its own, because a process that was stopped with SIGSTOP answers no other test. */
async function start(): Promise<Scene> {
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  if (!postgres || !redis) throw new Error('the servers are not installed')
  onTestFinished(async () => void (await Promise.all([postgres.stop(), redis.stop()])))
  const [proxy, redisProxy] = [await createFreezingProxy(postgres.port), await createFreezingProxy(redis.port)]
  onTestFinished(async () => void (await Promise.all([proxy.close(), redisProxy.close()])))
  const redisUrl = `redis://127.0.0.1:${redisProxy.port}`
  const environment = await createServerEnvironment(postgres.url, { redisUrl, port: proxy.port })
  const port = await findFreePort()
  const service = await startQuickstart({ ...environment, PORT: String(port) }, nodeStart)
  onTestFinished(() => service.kill())
  const url = `http://127.0.0.1:${port}`
  // Connections of both pools are open.
  const visitor = createVisitor(url, { isPatient: true })
  await Promise.all([visitor.ask(publicLists), visitor.ask(publicLists), visitor.signIn('reader@example.com')])
  return { service, url, postgres, redis, proxy, redisProxy }
}

const faults = [
  ['PostgreSQL is stopped', ({ postgres }: Scene) => postgres.pause()],
  ['the way to PostgreSQL freezes', ({ proxy }: Scene) => proxy.freeze()],
] as const

describe.each(faults)('while %s', (fault, begin) => {
  useService('postgres')
  useService('redis')

  test('public lists and /readyz answer 503 in time, and SIGTERM stops the process', async () => {
    const scene = await start()
    const { service, url } = scene
    begin(scene)
    const [lists, probes]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      const elapsed = startStopwatch(250, service.pid)
      const { status, headers } = await createVisitor(url).ask(publicLists)
      lists.push(elapsed())
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
      const probed = startStopwatch(250, service.pid)
      expect((await fetch(`${url}/readyz`)).status).toBe(503)
      probes.push(probed())
    }
    expectWithin(300, `${fault}: public lists are answered within`, lists)
    expectWithin(300, `${fault}: /readyz is answered within`, probes)
    const pending = Array.from({ length: 20 }, () =>
      createVisitor(url)
        .ask(publicLists)
        .catch(() => null),
    )
    const ending = startStopwatch(5000, service.pid)
    expect(await service.stop()).toBe(0)
    expectWithin(5000, `${fault}: SIGTERM ends the process within`, ending())
    await Promise.all(pending)
  })
})

describe('while Redis is stopped', () => {
  useService('postgres')
  useService('redis')

  test('public lists are answered, /readyz answers 503, and SIGTERM stops the process', async () => {
    const { service, url, redis } = await start()
    redis.pause()
    expect((await createVisitor(url, { isPatient: true }).ask(publicLists)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const ending = startStopwatch(5000, service.pid)
    expect(await service.stop()).toBe(0)
    expectWithin(5000, 'Redis stopped: SIGTERM ends the process within', ending())
  })
})

describe.each([
  ['PostgreSQL', ({ proxy }: Scene) => proxy],
  ['Redis', ({ redisProxy }: Scene) => redisProxy],
] as const)('connections to %s that are dead without a word', (name, proxyOf) => {
  useService('postgres')
  useService('redis')

  test('are given up: lists, sessions and /readyz work again within 2 s, in each round', async () => {
    const scene = await start()
    const visitor = createVisitor(scene.url, { isPatient: true })
    await visitor.signIn('reader@example.com')
    const asked = async () => {
      const [list, session] = [await createVisitor(scene.url).ask(publicLists), await visitorOnce(visitor, scene.url)]
      return [list.status, session.status, (await fetch(`${scene.url}/readyz`)).status]
    }
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      proxyOf(scene).freeze({ halfOpen: true })
      const since = performance.now()
      for (let statuses = await asked(); !statuses.every((status) => status === 200); statuses = await asked()) {
        // An outage, and never a sign-out.
        for (const status of statuses) expect([200, 503]).toContain(status)
        if (performance.now() - since > patienceMs) throw new Error('it did not recover')
      }
      times.push(performance.now() - since)
    }
    expectWithin(2000, `half-open connections to ${name}: everything is 200 after`, times)
  })
})

/** The same visitor, who does not ask again. */
function visitorOnce({ cookies }: Visitor, url: string): Promise<Answer> {
  const visitor = createVisitor(url)
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  return visitor.ask('{ viewer { email } }')
}

describe('a start while PostgreSQL does not answer', () => {
  const postgres = useService('postgres')

  test('prints that it waits, and serves when it does', async () => {
    const proxy = await createFreezingProxy(Number(new URL(postgres).port))
    onTestFinished(() => proxy.close())
    const environment = await createServerEnvironment(postgres, { port: proxy.port })
    proxy.refuse()
    const starting = startQuickstart({ ...environment, PORT: String(await findFreePort()) }, nodeStart)
    await expect.poll(() => proxy.refused).toBeGreaterThan(1)
    proxy.refuse(false)
    const service = await starting
    onTestFinished(async () => void (await service.stop()))
    expect(service.output()).toMatch(/^Waiting for the stores, for at most \d+ s: The database of DATABASE_URL/m)
    const visitor = createVisitor(service.url, { isPatient: true })
    expect((await visitor.ask(publicLists)).status).toBe(200)
  })
})
