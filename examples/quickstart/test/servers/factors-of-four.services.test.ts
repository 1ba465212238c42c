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
} from '../support/second-factors.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import {
  type Environment,
  nodeStart,
  type Quickstart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'
import { type Answer, askAs, createVisitor, type Variables, type Visitor } from '../support/visitor.ts'

// Whoever shows the same proof several times at once, at several processes, gets one credential for it.

const shows = 50
const emails = ['code', 'recovery', 'challenge', 'codes', 'passkey', 'step-up'].map((name) => `${name}@example.com`)

describe.each(['SQLite', 'PostgreSQL', 'PostgreSQL and Redis'])('four processes on %s', { timeout: 120_000 }, (stores) => {
  const postgres = useService('postgres')
  const redis = useService('redis')
  const processes: Quickstart[] = []
  const urls: string[] = []

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const environment = await environmentOf()
    const start = async (): Promise<void> => {
      const PORT = String(await findFreePort())
      processes.push(await startQuickstart({ ...environment, PORT }, nodeStart))
      urls.push(`http://127.0.0.1:${PORT}`)
    }
    await start()
    await Promise.all([start(), start(), start(), addAccounts(environment, emails)])
  })
  afterAll(async () => void (await Promise.all(processes.map((service) => service.kill()))))

  async function environmentOf(): Promise<Environment> {
    if (stores === 'SQLite') return { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl }
    return createServerEnvironment(postgres, stores === 'PostgreSQL' ? {} : { redisUrl: redis })
  }

  const urlAt = (index: number): string => urls[index % urls.length] ?? ''

  /** Who is signed in by a first factor and has none besides. */
  async function newcomer(email: string): Promise<Visitor> {
    const visitor = createVisitor(urlAt(0), { isPatient: true })
    dataOf(await visitor.signIn(email))
    return visitor
  }

  /** Asks all processes at once, each show on behalf of a visitor of its own. */
  function showAtOnce(
    query: string,
    inputAt: (index: number) => object,
    visitorAt: (index: number) => Visitor = (index) => createVisitor(urlAt(index)),
  ): Promise<readonly Answer[]> {
    const shown = Array.from({ length: shows }, (_, index) => {
      const variables: Variables = { input: inputAt(index) }
      return askAs(visitorAt(index), urlAt(index), { query, variables })
    })
    return Promise.all(shown)
  }

  /** Exactly one has signed in; the others are refused with the same bytes, and get nothing. */
  function expectOneWinner(answers: readonly Answer[], status: 401 | 403 = 401): Answer {
    expect(answers).toHaveLength(shows)
    const isSignedIn = ({ data }: Answer): boolean => JSON.stringify(data ?? null).includes('"SIGNED_IN"')
    const losers = answers.filter((answer) => !isSignedIn(answer))
    for (const { headers, errors, text, ...answer } of losers) {
      expect([status, 401], text).toContain(answer.status)
      expect([errors.map(({ extensions }) => extensions.code), answer.data], text).toEqual([
        ['INVALID_CREDENTIALS'],
        undefined,
      ])
      expect(headers.getSetCookie().filter((line) => !/max-age=0/i.test(line))).toEqual([])
    }
    expect(new Set(losers.map(({ status: one, text }) => `${one} ${text}`)).size).toBeLessThanOrEqual(
      status === 401 ? 1 : 2,
    )
    const [winner, ...others] = answers.filter(isSignedIn)
    expect(others).toEqual([])
    if (!winner) throw new Error(`nobody has won: ${answers[0]?.text}`)
    return winner
  }

  /** How many sessions the account has open, as each of the processes counts them. */
  async function countSessions(owner: Visitor): Promise<number> {
    const counts = new Set<number>()
    for (const url of urls) {
      const answer = await askAs(owner, url, { query: operations.sessions, isPatient: true })
      counts.add(dataOf(answer).sessions.length)
    }
    expect([...counts]).toHaveLength(1)
    return [...counts][0] ?? 0
  }

  /** Shows the password so many times that each code may be shown five times for each challenge. */
  async function challengesFor(email: string): Promise<readonly string[]> {
    const challenges: string[] = []
    for (let index = 0; index < shows / 5; index++) {
      const { status, challenge } = await showPassword(urlAt(index), email)
      expect(status).toBe('SECOND_FACTOR_REQUIRED')
      challenges.push(challenge ?? '')
    }
    return challenges
  }

  test('accept one of fifty that show the same code of an authenticator app', async () => {
    const owner = await newcomer('code@example.com')
    const { app } = await enrollApp(owner)
    const challenges = await challengesFor('code@example.com')
    const [before, code] = [await countSessions(owner), app.nextCode()]
    const inputAt = (index: number) => ({ challenge: challenges[index % challenges.length], code })
    expectOneWinner(await showAtOnce(operations.verify, inputAt))
    expect(await countSessions(owner)).toBe(before + 1)
    expect((await showAtOnce(operations.verify, inputAt)).map(({ status }) => status)).toEqual(Array(shows).fill(401))
  })

  test('accept one of fifty that show the same recovery code, and the other codes remain', async () => {
    const owner = await newcomer('recovery@example.com')
    const { codes } = await enrollApp(owner)
    const challenges = await challengesFor('recovery@example.com')
    const [before, code = '', other = ''] = [await countSessions(owner), ...codes]
    const inputAt = (index: number) => ({ challenge: challenges[index % challenges.length], code })
    expectOneWinner(await showAtOnce(operations.verify, inputAt))
    expect(await countSessions(owner)).toBe(before + 1)
    await signInFully(urlAt(1), 'recovery@example.com', () => other)
    expect(await countSessions(owner)).toBe(before + 2)
  })

  test('accept one of fifty answers to the same challenge', async () => {
    const owner = await newcomer('challenge@example.com')
    const { app } = await enrollApp(owner)
    const { challenge } = await showPassword(urlAt(1), 'challenge@example.com')
    const [before, code] = [await countSessions(owner), app.nextCode()]
    expectOneWinner(await showAtOnce(operations.verify, () => ({ challenge, code })))
    expect(await countSessions(owner)).toBe(before + 1)
  })

  test('accept one of fifty answers to the same challenge although each code is right', async () => {
    const owner = await newcomer('codes@example.com')
    const { codes } = await enrollApp(owner)
    const { challenge } = await showPassword(urlAt(1), 'codes@example.com')
    const before = await countSessions(owner)
    expect(codes).toHaveLength(10)
    const inputAt = (index: number) => ({ challenge, code: codes[index % codes.length] })
    expectOneWinner(await showAtOnce(operations.verify, inputAt))
    expect(await countSessions(owner)).toBe(before + 1)
  })

  test('accept one of fifty that show the same response of a passkey', async () => {
    const owner = await newcomer('passkey@example.com')
    const { authenticator } = await enrollPasskey(owner)
    const response = await signWithPasskey(createVisitor(urlAt(1), { isPatient: true }), authenticator)
    const before = await countSessions(owner)
    expectOneWinner(await showAtOnce(operations.finishPasskey, () => ({ response })))
    expect(await countSessions(owner)).toBe(before + 1)
  })

  test('accept one of fifty answers to the same challenge of a step-up, and the session before it is over', async () => {
    const email = 'step-up@example.com'
    const { app, codes } = await enrollApp(await newcomer(email))
    const owner = await signInFully(urlAt(0), email, () => codes[0] ?? '')
    const before = await countSessions(owner)
    const asked = await owner.ask(operations.register)
    expect([asked.status, asked.errors[0]?.extensions.code]).toEqual([401, 'STEP_UP_REQUIRED'])
    const [challenge, code] = [asked.errors[0]?.extensions.challenge, app.nextCode()]
    const holders = Array.from({ length: shows }, () => ({ ...owner, cookies: new Map(owner.cookies) }))
    const holderAt = (index: number): Visitor => holders[index] ?? owner
    const answers = await showAtOnce(operations.verify, () => ({ challenge, code }), holderAt)
    const winner = expectOneWinner(answers, 403)

    for (const url of urls) expect((await askAs(owner, url, { query: operations.viewer })).status).toBe(401)
    const renewed = holderAt(answers.indexOf(winner))
    renewed.csrfToken = winner.data.verifySecondFactor.csrfToken
    expect(await countSessions(renewed)).toBe(before)
    expect((await askAs(renewed, urlAt(2), { query: operations.register })).status).toBe(200)
  })
})
