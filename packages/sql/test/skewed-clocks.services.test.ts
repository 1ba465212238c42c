import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHouse } from './fixtures/contender.ts'
import type { Calls } from './fixtures/skewed-client.ts'
import { createPostgresDatabase } from './postgres/postgres-database.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const minute = 60_000
const skews = [0, 10 * minute, -10 * minute, 24 * 60 * minute]
const rounds = Array.from({ length: 10 }, (_none, round) => round)

/** A process whose wall clock is wrong, with connections of its own. It is asked one thing at a time. */
class Client {
  readonly #child: ChildProcess
  #earlier: Promise<unknown> = Promise.resolve()
  constructor(settings: object, skewMs: number) {
    const execArgv = [
      '--conditions=@latchkey/source',
      '--import',
      import.meta.resolve('@latchkey/test-services/skew-clock'),
    ]
    const env = { ...process.env, SKEW_MS: String(skewMs) }
    this.#child = fork(fixture('skewed-client.ts'), [JSON.stringify(settings)], { execArgv, env })
  }
  async ready(): Promise<void> {
    await once(this.#child, 'message')
  }
  call<Name extends keyof Calls>(
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<Awaited<ReturnType<Calls[Name]>>> {
    const answer = this.#earlier.then(async () => {
      this.#child.send({ name, given })
      const [{ value, error }] = await once(this.#child, 'message')
      if (error) throw new Error(error)
      return value
    })
    this.#earlier = answer.catch(() => null)
    return answer
  }
  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

describe.each(['PostgreSQL', 'Redis'])('four processes on one %s, of which three have a wrong clock', (backend) => {
  const postgres = useService('postgres')
  const redis = backend === 'Redis' ? useService('redis') : null
  let clients: readonly Client[] = []

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const secret = randomBytes(32).toString('hex')
    const settings = { postgresUrl: await createPostgresDatabase(postgres), redisUrl: redis, secret }
    const house = openHouse(settings)
    await house.migrate()
    await house.close()
    clients = skews.map((skewMs) => new Client(settings, skewMs))
    await Promise.all(clients.map((client) => client.ready()))
  })
  afterAll(() => Promise.all(clients.map((client) => client.close())))

  const at = (index: number) => clients[index % clients.length]!
  /** Every process, and another one that acts, in turn. */
  const eachRound = async (act: (actor: Client, round: number) => Promise<void>) => {
    for (const round of rounds) await act(at(round + 1), round)
  }
  const ask = <Name extends keyof Calls>(name: Name, ...given: Parameters<Calls[Name]>) =>
    Promise.all(clients.map((client) => client.call(name, ...given)))
  const newRecord = (lifetimeMs: number, owner = `acc_${randomUUID()}`) => {
    return { key: `se_${randomUUID()}`, owner, value: '{}', expiresAt: Date.now() + lifetimeMs }
  }
  const absent = skews.map(() => null)

  test('their stores have the same time', async () => {
    const clocks = await ask('clocks')
    for (const [index, { own, stored }] of clocks.entries()) {
      expect(Math.abs(stored - Date.now())).toBeLessThan(1000)
      expect(Math.abs(own - stored - (skews[index] ?? 0))).toBeLessThan(1000)
    }
  })

  test('a sign-out in any process takes effect in every process', async () => {
    await eachRound(async (actor, round) => {
      const subject = `acc_${randomUUID()}`
      const { credential = '', key = '' } = await at(round).call('signIn', subject)
      expect(await ask('read', credential)).not.toContain(null)
      expect(await actor.call('signOut', subject, key)).toBe(true)
      expect(await ask('read', credential)).toEqual(absent)
    })
  })

  test('revoking all in any process leaves no session in any process', async () => {
    await eachRound(async (actor, round) => {
      const subject = `acc_${randomUUID()}`
      const opened = await Promise.all(clients.map((client) => client.call('signIn', subject)))
      expect(await actor.call('revokeAll', subject)).toBe(2 * clients.length)
      for (const { credential = '', token } of opened) {
        expect(await ask('read', credential)).toEqual(absent)
        expect(await at(round + 2).call('redeem', token)).toEqual({ ok: false, reason: 'unknown' })
      }
    })
  })

  test('an expired record is absent in every process, and no process restores it', async () => {
    await eachRound(async (actor, round) => {
      const record = newRecord(100)
      await at(round).call('insert', record)
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(await ask('get', record.key)).toEqual(absent)
      expect(await actor.call('touch', record.key, record.owner, Date.now() + minute)).toBe(false)
      expect(await ask('get', record.key)).toEqual(absent)
    })
  })

  test('an unexpired record is present in every process, even during sweeps', async () => {
    await eachRound(async (actor, round) => {
      const record = newRecord(minute)
      await at(round).call('insert', record)
      await actor.call('sweep', 10_000)
      expect(await ask('get', record.key)).not.toContain(null)
      expect(await actor.call('remove', record.key)).toBe(true)
    })
  })

  test('a refresh that is repeated on another process within the grace window has the same successor', async () => {
    await eachRound(async (actor, round) => {
      const { token } = await at(round).call('signIn', `acc_${randomUUID()}`)
      const first = await at(round).call('redeem', token)
      const again = await actor.call('redeem', token)
      expect(again).toMatchObject({ ok: true, replayed: true, token: first.ok && first.token })
    })
  })

  test('a refresh that is repeated after the grace window revokes the family in every process', async () => {
    const families = await Promise.all(rounds.map((round) => at(0).call('signIn', `acc_${round}_${randomUUID()}`)))
    for (const { token } of families) await at(0).call('redeem', token)
    await new Promise((resolve) => setTimeout(resolve, 10_100))
    for (const [round, { token }] of families.entries()) {
      expect(await at(round).call('redeem', token)).toMatchObject({ ok: false, reason: 'reused' })
    }
  })

  test('a window of a counter has the same end in every process, and expires in every process', async () => {
    await eachRound(async (actor, round) => {
      const key = `sign-in:${randomUUID()}`
      const { resetAt } = await at(round).call('hit', key, minute)
      expect(Math.abs(resetAt - Date.now() - minute)).toBeLessThan(1000)
      expect(await actor.call('hit', key, minute)).toEqual({ count: 2, resetAt })
      const short = `sign-in:${randomUUID()}`
      await at(round).call('hit', short, 50)
      await new Promise((resolve) => setTimeout(resolve, 80))
      expect((await actor.call('hit', short, 50)).count).toBe(1)
    })
  })
})
