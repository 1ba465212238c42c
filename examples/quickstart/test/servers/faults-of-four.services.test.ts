import {
  createFreezingProxy,
  expectWithin,
  type FreezingProxy,
  findFreePort,
  patienceMs,
  startStopwatch,
  useService,
} from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { type Environment, type Quickstart, skewedStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

// Four processes, two of them with a wrong clock, while the way to their servers is cut without a word or freezes.

const minute = 60_000
const skews = [0, 10 * minute, -10 * minute, 0]
const rounds = process.env.TEST_TIER === '3' ? 10 : 3
const publicLists = '{ articles(first: 3) { title comments { text } } }'
const viewer = '{ viewer { email } }'
const email = 'reader@example.com'

interface Process {
  readonly service: Quickstart
  readonly url: string
  /** Is signed in at all of them. */
  readonly visitor: Visitor
}

describe('four processes on PostgreSQL and Redis, two with a wrong clock', { timeout: 240_000 }, () => {
  const postgres = useService('postgres')
  const redis = useService('redis')
  let processes: readonly Process[] = []
  let environment: Environment = {}
  const proxies = new Map<string, FreezingProxy>()

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const [toPostgres, toRedis] = [
      await createFreezingProxy(Number(new URL(postgres).port)),
      await createFreezingProxy(Number(new URL(redis).port)),
    ]
    proxies.set('PostgreSQL', toPostgres).set('Redis', toRedis)
    const redisUrl = Object.assign(new URL(redis), { port: String(toRedis.port) }).href
    environment = await createServerEnvironment(postgres, { redisUrl, port: toPostgres.port })
    await startFour()
    const patient = createVisitor(processes[0]?.url ?? '', { isPatient: true })
    expect((await patient.signIn(email)).status).toBe(200)
    for (const { visitor } of processes) for (const [name, value] of patient.cookies) visitor.cookies.set(name, value)
    await untilAllServe()
  })
  afterAll(async () => {
    await Promise.all(processes.map(({ service }) => service.kill()))
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
  })

  async function startFour(): Promise<void> {
    const ports = await Promise.all(skews.map(findFreePort))
    const starting = skews.map(async (skewMs, index): Promise<Process> => {
      const [SKEW_MS, PORT] = [String(skewMs), String(ports[index])]
      const service = await startQuickstart({ ...environment, SKEW_MS, PORT }, skewedStart)
      const url = `http://127.0.0.1:${PORT}`
      return { service, url, visitor: createVisitor(url) }
    })
    processes = await Promise.all(starting)
  }

  const proxyTo = (server: string): FreezingProxy => {
    const proxy = proxies.get(server)
    if (!proxy) throw new Error('it was not opened')
    return proxy
  }

  /** The statuses of a list that anyone may read, of what the session may read, and of the readiness, at one process. */
  async function statusesAt({ url, visitor }: Process): Promise<readonly number[]> {
    const session = await visitor.ask(viewer)
    if (session.status === 200) expect(session.data).toEqual({ viewer: { email } })
    // An outage, and never a sign-out.
    else expect([session.status, session.headers.getSetCookie()]).toEqual([503, []])
    return [(await createVisitor(url).ask(publicLists)).status, session.status, (await fetch(`${url}/readyz`)).status]
  }

  async function untilAllServe(): Promise<number> {
    const since = performance.now()
    for (;;) {
      const statuses = (await Promise.all(processes.map(statusesAt))).flat()
      if (statuses.every((status) => status === 200)) return performance.now() - since
      for (const status of statuses) expect([200, 503]).toContain(status)
      if (performance.now() - since > patienceMs) throw new Error('they did not recover')
    }
  }

  test.each(['PostgreSQL', 'Redis'])(
    'give up connections to %s that are dead without a word: all serve again within 2 s, in each round',
    async (server) => {
      const times: number[] = []
      for (let round = 0; round < rounds; round++) {
        proxyTo(server).freeze({ halfOpen: true })
        times.push(await untilAllServe())
      }
      expectWithin(2000, `half-open connections of four to ${server}: all serve after`, times)
    },
  )

  test('answer 503 in time while the way to PostgreSQL is frozen, and serve within 2 s of its end, in each round', async () => {
    const [lists, probes, recoveries]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      proxyTo('PostgreSQL').freeze()
      for (const { url, service } of processes) {
        const elapsed = startStopwatch(250, service.pid)
        const { status, headers } = await createVisitor(url).ask(publicLists)
        lists.push(elapsed())
        expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
        const probed = startStopwatch(250, service.pid)
        expect((await fetch(`${url}/readyz`)).status).toBe(503)
        probes.push(probed())
      }
      proxyTo('PostgreSQL').thaw()
      recoveries.push(await untilAllServe())
    }
    expectWithin(300, 'frozen PostgreSQL of four: public lists are answered within', lists)
    expectWithin(300, 'frozen PostgreSQL of four: /readyz is answered within', probes)
    expectWithin(2000, 'frozen PostgreSQL of four: all serve after', recoveries)
  })

  // The last one, because no process is left.
  test('SIGTERM stops processes in time while no store answers, in each round', async () => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await startFour()
      for (const proxy of proxies.values()) proxy.freeze()
      const ends = processes.map(async ({ service, url }) => {
        const pending = createVisitor(url)
          .ask(publicLists)
          .catch(() => null)
        const ending = startStopwatch(5000, service.pid)
        expect(await service.stop()).toBe(0)
        const elapsedMs = ending()
        await pending
        return elapsedMs
      })
      times.push(...(await Promise.all(ends)))
      for (const proxy of proxies.values()) proxy.thaw()
    }
    expectWithin(5000, 'SIGTERM ends each of four within', times)
  })
})
