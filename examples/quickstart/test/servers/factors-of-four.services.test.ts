import { setTimeout } from 'node:timers/promises'
import { findFreePort, useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addAccounts,
  dataOf,
  enrollApp,
  enrollPasskey,
  operations,
  publicUrl,
  showPassword,
  signInFully,
  signWithPasskey,
  UnavailableError,
} from '../support/second-factors.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import {
  type Environment,
  nodeStart,
  type Quickstart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'
import {
  type Answer,
  askAs,
  createVisitor,
  type Delivery,
  keep,
  nextAddress,
  type Visitor,
} from '../support/visitor.ts'

// Who shows the same proof many times at once, at several processes, gets one credential for it.

const shows = process.env.TEST_TIER === '3' ? 50 : 16
/** Of a challenge: so often a code may be shown for it, and each show is judged. */
const tries = 5
/**
 * A store has 250 ms for an answer, which a machine with other work may not keep: then a code may be spent and no one has
 * won, and there is another round. Never is there a second winner.
 */
const rounds = 10

/** What is shown so often. */
interface Race {
  /** Who was signed in before. */
  readonly owner: Visitor
  readonly query: string
  readonly inputAt: (index: number) => object
  readonly visitorAt?: (index: number) => Visitor
}

interface Shown {
  readonly answers: readonly Answer[]
  /** What was answered 503 before. */
  readonly late: readonly Answer[]
}

type UrlAt = (index: number) => string

interface Case {
  readonly title: string
  readonly name: string
  prepare(email: string, urlAt: UrlAt): Promise<Race>
  /** How many sessions the winner opens. */
  readonly opened: number
  /** What else is true afterwards. */
  check?(race: Race, ends: { readonly winner: Visitor; readonly email: string; readonly urlAt: UrlAt }): Promise<void>
}

function allShows<T>(show: (index: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: shows }, (_, index) => show(index)))
}

async function firstSignIn(email: string, urlAt: UrlAt): Promise<Visitor> {
  const { visitor, status } = await showPassword(urlAt(0), email)
  expect(status).toBe('SIGNED_IN')
  return visitor
}

/** Shows the password so often that each challenge is answered no more often than it may be. */
async function challengesFor(email: string, urlAt: UrlAt): Promise<readonly string[]> {
  const challenges: string[] = []
  while (challenges.length < shows / tries) {
    const { status, challenge } = await showPassword(urlAt(challenges.length), email)
    expect(status).toBe('SECOND_FACTOR_REQUIRED')
    challenges.push(challenge ?? '')
  }
  return challenges
}

/** A step-up renews the credential in the form in which it came; the one before is over at every process. */
function stepUpBy(delivery: Delivery): Case {
  return {
    title: `that answer the same challenge of a step-up, by ${delivery}, and what was before it is over`,
    name: `step-up-${delivery.toLowerCase()}`,
    opened: 0,
    async prepare(email, urlAt) {
      const { app, codes } = await enrollApp(await firstSignIn(email, urlAt))
      const owner = await signInFully(urlAt(0), email, () => codes[0] ?? '', delivery)
      const asked = await owner.ask(operations.register)
      if (asked.status === 503) throw new UnavailableError(asked.text)
      expect([asked.status, asked.errors[0]?.extensions.code]).toEqual([401, 'STEP_UP_REQUIRED'])
      const [challenge, code] = [asked.errors[0]?.extensions.challenge, app.nextCode()]
      const holders = Array.from({ length: shows }, () => ({
        ...owner,
        cookies: new Map(owner.cookies),
        address: nextAddress(),
      }))
      const visitorAt = (index: number): Visitor => holders[index] ?? owner
      return { owner, query: operations.verify, inputAt: () => ({ challenge, code, delivery }), visitorAt }
    },
    async check({ owner }, { winner, urlAt }) {
      for (const index of [0, 1, 2, 3]) {
        const question = { query: operations.viewer, isPatient: true }
        expect((await askAs(owner, urlAt(index), question)).status).toBe(401)
        expect((await askAs(winner, urlAt(index), question)).status).toBe(200)
        if (delivery !== 'SESSION') expect((await refreshAt(owner, urlAt(index))).status).toBe(401)
      }
      expect((await askAs(winner, urlAt(2), { query: operations.register, isPatient: true })).status).toBe(200)
      if (delivery !== 'SESSION') expect((await refreshAt(winner, urlAt(3))).status).toBe(200)
    },
  }
}

/** Shows the refresh token that a visitor has, in its cookie or in the input, and nothing else. */
function refreshAt(visitor: Visitor, url: string): Promise<Answer> {
  const { refreshToken } = visitor
  const variables = { input: refreshToken === null ? null : { refreshToken } }
  return askAs({ ...visitor, bearer: null, cookies: new Map(visitor.cookies) }, url, {
    query: operations.refresh,
    variables,
    isPatient: true,
  })
}

const cases: readonly Case[] = [
  {
    title: 'that show the same code of an authenticator app for challenges of their own',
    name: 'code',
    opened: 1,
    async prepare(email, urlAt) {
      const owner = await firstSignIn(email, urlAt)
      const { app } = await enrollApp(owner)
      const [challenges, code] = [await challengesFor(email, urlAt), app.nextCode()]
      const inputAt = (index: number) => ({ challenge: challenges[index % challenges.length], code })
      return { owner, query: operations.verify, inputAt }
    },
  },
  {
    title: 'that show the same recovery code for challenges of their own',
    name: 'recovery',
    opened: 1,
    async prepare(email, urlAt) {
      const owner = await firstSignIn(email, urlAt)
      const { codes } = await enrollApp(owner)
      const [challenges, code] = [await challengesFor(email, urlAt), codes[0]]
      const inputAt = (index: number) => ({ challenge: challenges[index % challenges.length], code })
      return { owner, query: operations.verify, inputAt }
    },
    async check({ owner }) {
      const { factors } = dataOf(await owner.ask('{ factors { kind lastUsedAt } }'))
      expect(factors.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['recovery-code', 'totp'])
    },
  },
  {
    title: 'that answer the same challenge with the same code',
    name: 'challenge',
    opened: 1,
    async prepare(email, urlAt) {
      const owner = await firstSignIn(email, urlAt)
      const { app } = await enrollApp(owner)
      const [{ challenge }, code] = [await showPassword(urlAt(1), email), app.nextCode()]
      return { owner, query: operations.verify, inputAt: () => ({ challenge, code }) }
    },
  },
  {
    title: 'that answer the same challenge with ten codes, each of them right',
    name: 'codes',
    opened: 1,
    async prepare(email, urlAt) {
      const owner = await firstSignIn(email, urlAt)
      const { codes } = await enrollApp(owner)
      expect(codes).toHaveLength(10)
      const { challenge } = await showPassword(urlAt(1), email)
      const inputAt = (index: number) => ({ challenge, code: codes[index % codes.length] })
      return { owner, query: operations.verify, inputAt }
    },
  },
  {
    title: 'that show the same response of a passkey',
    name: 'passkey',
    opened: 1,
    async prepare(email, urlAt) {
      const owner = await firstSignIn(email, urlAt)
      const { authenticator } = await enrollPasskey(owner)
      const response = await signWithPasskey(createVisitor(urlAt(1)), authenticator)
      return { owner, query: operations.finishPasskey, inputAt: () => ({ response }) }
    },
  },
  ...(['SESSION', 'TOKEN', 'NATIVE'] as const).map(stepUpBy),
]

describe.each(['SQLite', 'PostgreSQL', 'PostgreSQL and Redis'])('four processes on %s accept one of many', (stores) => {
  const postgres = useService('postgres')
  const redis = useService('redis')
  const processes: Quickstart[] = []
  const urls: string[] = []
  const urlAt: UrlAt = (index) => urls[index % urls.length] ?? ''

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const environment = await environmentOf()
    const start = async (): Promise<void> => {
      const PORT = String(await findFreePort())
      processes.push(await startQuickstart({ ...environment, PORT }, nodeStart))
      urls.push(`http://127.0.0.1:${PORT}`)
    }
    await start()
    const emails = cases.flatMap(({ name }) => Array.from({ length: rounds }, (_, round) => emailOf(name, round)))
    await Promise.all([start(), start(), start(), addAccounts(environment, emails)])
  })
  afterAll(async () => void (await Promise.all(processes.map((service) => service.kill()))))

  async function environmentOf(): Promise<Environment> {
    // Each visitor comes from an address of its own: limits on guessing are no part of this.
    const TRUSTED_PROXIES = '127.0.0.1'
    if (stores === 'SQLite') return { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl, TRUSTED_PROXIES }
    const onServers = await createServerEnvironment(postgres, stores === 'PostgreSQL' ? {} : { redisUrl: redis })
    return { ...onServers, TRUSTED_PROXIES }
  }

  const emailOf = (name: string, round: number): string => `${name}-${round}@example.com`

  /** Asks all processes at once, and those again that had no time. */
  async function showAtOnce({ query, inputAt, visitorAt }: Race): Promise<Shown> {
    const late: Answer[] = []
    const show = async (index: number): Promise<Answer> => {
      const visitor = visitorAt?.(index) ?? createVisitor(urlAt(index))
      const answer = await askAs(visitor, urlAt(index), { query, variables: { input: inputAt(index) } })
      if (answer.status !== 503) return answer
      late.push(answer)
      await setTimeout(100)
      return show(index)
    }
    // Over connections that are open, they arrive together.
    await allShows((index) => createVisitor(urlAt(index)).ask('{ __typename }'))
    return { answers: await allShows(show), late }
  }

  /** How many sessions the account has open, as each of the processes counts them. */
  async function countSessions(visitor: Visitor): Promise<number> {
    const counts = new Set<number>()
    for (const url of urls) {
      const { sessions } = dataOf(await askAs(visitor, url, { query: operations.sessions, isPatient: true }))
      counts.add(sessions.length)
    }
    expect([...counts]).toHaveLength(1)
    return [...counts][0] ?? 0
  }

  /** A store had no time: that others were first is no reason for an answer 503. The log says why by its id. */
  function expectDeadline({ errors, headers }: Answer): void {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const id = String(errors[0]?.extensions.id)
    const printed = processes.flatMap((service) => service.output().split('\n')).find((line) => line.includes(id))
    expect(printed).toContain('StoreError')
    expect(printed).not.toMatch(/kept changing|keep changing|never used/)
  }

  function expectRefused(losers: readonly Answer[], { visitorAt }: Race): void {
    for (const { status, headers, errors, data, text } of losers) {
      // Who was signed in is so still, or the session has ended in the meantime.
      expect(visitorAt ? [401, 403] : [401], text).toContain(status)
      expect([errors.map(({ extensions }) => extensions.code), data], text).toEqual([
        ['INVALID_CREDENTIALS'],
        undefined,
      ])
      expect(headers.getSetCookie().filter((line) => !/max-age=0/i.test(line))).toEqual([])
    }
    const texts = new Set(losers.map(({ text }) => text))
    expect([...texts]).toHaveLength(1)
  }

  async function runRound(one: Case, email: string): Promise<void> {
    const race = await one.prepare(email, urlAt)
    const before = await countSessions(race.owner)
    const { answers, late } = await showAtOnce(race)
    const isWinner = ({ data }: Answer): boolean => JSON.stringify(data ?? null).includes('"SIGNED_IN"')
    const [won, ...others] = answers.filter(isWinner)
    expect(others.map(({ text }) => text)).toEqual([])
    for (const answer of late) expectDeadline(answer)
    const losers = answers.filter((answer) => !isWinner(answer))
    expectRefused(losers, race)
    // What had no time may have spent the code.
    if (!won && late[0]) throw new UnavailableError(late[0].text)
    if (!won) throw new Error('there is no winner')

    const winner = race.visitorAt?.(answers.indexOf(won)) ?? race.owner
    if (winner !== race.owner) keep(winner, won.data.verifySecondFactor)
    expect(await countSessions(winner)).toBe(before + one.opened)
    await one.check?.(race, { winner, email, urlAt })
    const again = await showAtOnce(race)
    expect(again.answers.filter(isWinner)).toEqual([])
    expect(await countSessions(winner)).toBe(before + one.opened)
  }

  test.each(cases.map((one) => [one.title, one] as const))('%s', { timeout: 240_000 }, async (_title, one) => {
    for (let round = 0; round < rounds; round++) {
      try {
        return await runRound(one, emailOf(one.name, round))
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
      }
    }
    throw new Error('the stores have kept no round within their deadline')
  })
})
