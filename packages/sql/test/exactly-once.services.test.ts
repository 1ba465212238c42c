import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asked, factors, type Outcome, openHouse, type Person, type Task } from './fixtures/contender.ts'
import { createPostgresDatabase } from './postgres/postgres-database.ts'

const isLong = process.env.TEST_TIER === '3'
const [families, revocations] = isLong ? [1000, 200] : [24, 16]
const [processes, uses, batch] = [4, 20, 20]
const timeout = isLong ? 600_000 : 180_000
const program = fileURLToPath(new URL('fixtures/contender.ts', import.meta.url))

/** Four processes, each with connections of its own. */
class Contenders {
  readonly #children: readonly ChildProcess[]
  constructor(settings: object) {
    const options = { execArgv: ['--conditions=@latchkey/source'] }
    this.#children = Array.from({ length: processes }, () => fork(program, [JSON.stringify(settings)], options))
  }
  async ready(): Promise<void> {
    await Promise.all(this.#children.map((child) => once(child, 'message')))
  }
  /** Hands each process its task at the same time, and returns what came out of all of them. */
  async run(taskOf: (index: number) => Task): Promise<Outcome> {
    const answers = this.#children.map((child) => once(child, 'message'))
    for (const [index, child] of this.#children.entries()) child.send(taskOf(index))
    return (await Promise.all(answers)).flatMap(([outcome]) => outcome as Outcome)
  }
  async close(): Promise<void> {
    const ended = this.#children.map((child) => once(child, 'exit'))
    for (const child of this.#children) child.disconnect()
    await Promise.all(ended)
  }
}

describe.each(['PostgreSQL', 'Redis'])('four processes on one %s', (backend) => {
  const postgres = useService('postgres')
  const redis = backend === 'Redis' ? useService('redis') : null
  let house: ReturnType<typeof openHouse>
  let contenders: Contenders

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const settings = {
      postgresUrl: await createPostgresDatabase(postgres),
      redisUrl: redis,
      secret: randomBytes(32).toString('hex'),
    }
    house = openHouse(settings)
    await house.migrate()
    contenders = new Contenders(settings)
    await contenders.ready()
  })
  afterAll(async () => {
    await contenders?.close()
    await house?.close()
  })

  async function signUp(): Promise<Person> {
    const subject = `acc_${randomUUID()}`
    const account = { id: subject, email: `${subject}@example.com`, name: 'Ada', roles: [], epoch: 0 }
    await house.accounts.insert({ ...account, status: 'active', passwordHash: null })
    const issued = (await house.sessions.create({ subject, factors }))!
    const { token, family } = await house.tokens(10).issue({ subject, factors, ...asked })
    return { subject, credential: issued.credential, sessionKey: issued.session.key, token, familyKey: family.key }
  }

  /** Every token 20 times at once, five times by each process; returns what each token brought. */
  async function useAtOnce(people: readonly Person[], graceSeconds: number): Promise<ReadonlyMap<Person, Outcome>> {
    const brought = new Map<Person, Outcome>()
    for (let start = 0; start < people.length; start += batch) {
      const some = people.slice(start, start + batch)
      const tokens = some.map(({ token }) => token)
      const each = uses / processes
      const outcomes = await contenders.run(() => ({ do: 'redeem', tokens, uses: each, graceSeconds }))
      for (const [index, person] of some.entries()) {
        const perProcess = Array.from({ length: processes }, (_none, process) => {
          const first = (process * some.length + index) * each
          return outcomes.slice(first, first + each)
        })
        brought.set(person, perProcess.flat())
      }
    }
    return brought
  }

  const isToken = (outcome: string) => outcome.startsWith('rt_')
  const signUpMany = (count: number) => Promise.all(Array.from({ length: count }, signUp))

  test(
    `${families} refresh tokens × ${uses} uses without a grace window: exactly one is answered, and no session survives`,
    async () => {
      const tokens = house.tokens(0)
      for (const [person, outcomes] of await useAtOnce(await signUpMany(families), 0)) {
        expect(outcomes).toHaveLength(uses)
        expect(outcomes.filter(isToken)).toHaveLength(1)
        expect(
          outcomes.filter((outcome) => !isToken(outcome)).every((reason) => /^(reused|unknown)$/.test(reason)),
        ).toBe(true)
        expect(await tokens.redeem(outcomes.find(isToken) ?? null, asked)).toEqual({ ok: false, reason: 'unknown' })
        expect(await tokens.read(person.familyKey)).toBeNull()
      }
    },
    timeout,
  )

  test(
    `${families} refresh tokens × ${uses} uses within the grace window: one successor, and an old token revokes it`,
    async () => {
      // As long a window as there may be: whatever the machine does, all of them come within it.
      const tokens = house.tokens(60)
      for (const [person, outcomes] of await useAtOnce(await signUpMany(families), 60)) {
        expect(outcomes).toHaveLength(uses)
        expect(outcomes.every(isToken)).toBe(true)
        expect(new Set(outcomes).size).toBe(1)
        const next = await tokens.redeem(outcomes[0] ?? null, asked)
        expect(next).toMatchObject({ ok: true, replayed: false })
        expect(await tokens.redeem(person.token, asked)).toMatchObject({ ok: false, reason: 'reused' })
        expect(await tokens.redeem(next.ok ? next.token : null, asked)).toEqual({ ok: false, reason: 'unknown' })
      }
    },
    timeout,
  )

  test(
    `${revocations} revocations that race with refreshes, uses, regenerations and sign-ins leave no session`,
    async () => {
      let given = 0
      for (let start = 0; start < revocations; start += 8) {
        const people = await signUpMany(Math.min(8, revocations - start))
        const outcome = await contenders.run((index) =>
          index === 0 ? { do: 'revoke', people, midway: true } : { do: 'disturb', people },
        )
        expect(outcome.filter((text) => text.startsWith('failed'))).toEqual([])
        const credentials = [...outcome, ...people.flatMap(({ credential, token }) => [credential, token])].filter(
          Boolean,
        )
        given += credentials.length
        for (const credential of credentials) {
          expect(await house.sessions.read(credential)).toBeNull()
          expect(await house.tokens(10).redeem(credential, asked)).toEqual({ ok: false, reason: 'unknown' })
        }
        for (const { subject } of people) expect(await house.sessions.list(subject)).toEqual([])
      }
      // There was something to end besides what was there before: at least of those that were revoked midway.
      expect(given).toBeGreaterThanOrEqual(revocations * 2.5)
    },
    timeout,
  )

  test('every session that a revocation finds is revoked when it returns', async () => {
    const people = await signUpMany(8)
    const alive = await contenders.run((index) =>
      index === 0 ? { do: 'revoke', people, midway: false } : { do: 'disturb', people: [] },
    )
    expect(alive).toEqual([])
  })

  test('100 sign-ins at once for one account: 100 sessions and 100 families are listed, and all go at once', async () => {
    const { subject, sessionKey, familyKey } = await signUp()
    await house.sessions.revoke(subject, sessionKey)
    await house.sessions.revoke(subject, familyKey)
    const given = await contenders.run(() => ({ do: 'sign in', subject, times: 25 }))
    expect(given).toHaveLength(200)
    const listed = (await house.sessions.list(subject)).map(({ kind }) => kind)
    expect([listed.filter((kind) => kind === 'session').length, listed.length]).toEqual([100, 200])
    expect(await house.sessions.revokeAll(subject)).toBe(200)
    expect(await house.sessions.list(subject)).toEqual([])
    for (const credential of given) {
      expect(await house.sessions.read(credential)).toBeNull()
      expect(await house.tokens(10).redeem(credential, asked)).toMatchObject({ ok: false, reason: 'unknown' })
    }
  })

  test('garbage with known keys revokes no session', async () => {
    const person = await signUp()
    expect(await contenders.run(() => ({ do: 'guess', person, times: 50 }))).toEqual([])
    expect(await house.sessions.read(person.credential)).toMatchObject({ subject: person.subject })
    expect(await house.tokens(10).redeem(person.token, asked)).toMatchObject({ ok: true, replayed: false })
  })
})
