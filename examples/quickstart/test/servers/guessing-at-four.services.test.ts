import { join } from 'node:path'
import { disguises, findFreePort, plainGuess, type SentGuess, useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSaid, recordedStart } from '../support/recorded.ts'
import {
  addAccounts,
  dataOf,
  enrollPasskey,
  operations,
  patiently,
  publicUrl,
  signWithPasskey,
  withStores,
} from '../support/second-factors.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import { type Environment, type Quickstart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'
import { passTime } from '../support/stored-counters.ts'
import { type Answer, createVisitor, nextAddress, seedPassword, type Visitor } from '../support/visitor.ts'

// Many processes count as one: what they allow together is what one allows.

const isLong = process.env.TEST_TIER === '3'
const guessesAtOnce = isLong ? 10_000 : 200
const patience = isLong ? 1_800_000 : 300_000
const wrong = 'herons never read at dusk'

/** How many passwords of one account are tested for one address, and for all that no device is known at. */
const [perAccount, perAccountOfStrangers, perAddress] = [5, 25, 30]

describe.each(['SQLite', 'PostgreSQL', 'PostgreSQL and Redis'])('four processes on %s', (stores) => {
  const postgres = useService('postgres')
  const redis = useService('redis')
  const processes: Quickstart[] = []
  const urls: string[] = []
  let environment: Environment = {}
  let ids: ReadonlyMap<string, string> = new Map()
  const urlAt = (index: number): string => urls[index % urls.length] ?? ''
  const emailOf = (name: string): string => `${name}@example.com`
  const disguised = disguises.map((_disguise, index) => `disguised${index}`)

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const SAID_FILE = join(await temporaryDirectory(), 'said')
    // Clients come from addresses that this machine, as a proxy, says.
    environment = { ...(await environmentOf()), TRUSTED_PROXIES: '127.0.0.1', SAID_FILE }
    const start = async (): Promise<void> => {
      const PORT = String(await findFreePort())
      processes.push(await startQuickstart({ ...environment, PORT }, recordedStart))
      urls.push(`http://127.0.0.1:${PORT}`)
    }
    await start()
    await Promise.all([start(), start(), start()])
    const names = ['one-address', 'many-addresses', 'victim', 'thief', ...disguised]
    ids = await addAccounts(environment, names.map(emailOf))
  })
  afterAll(async () => void (await Promise.all(processes.map((service) => service.kill()))))

  async function environmentOf(): Promise<Environment> {
    if (stores === 'SQLite') return { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl }
    return createServerEnvironment(postgres, stores === 'PostgreSQL' ? {} : { redisUrl: redis })
  }

  /** Sends a guess again that a store had no time for: what it answered 503 was not judged. */
  async function send(index: number, { path, headers, body }: SentGuess): Promise<Response> {
    const response = await fetch(`${urlAt(index)}${path}`, { method: 'POST', redirect: 'manual', headers, body })
    await response.clone().arrayBuffer()
    if (response.status !== 503) return response
    await new Promise((resolve) => setTimeout(resolve, 50))
    return send(index, { path, headers, body })
  }

  const countHashes = async (): Promise<number> =>
    (await readSaid(environment.SAID_FILE ?? '')).filter(({ said }) => said.type === 'password.hashed').length

  /** How many wrong passwords in a row are counted beside the account, durably. */
  const countFailures = (email: string): Promise<number> =>
    withStores(environment, ({ counters, lockouts = counters }) =>
      patiently(async () => {
        const counter = await lockouts?.hit(`failures:password:${ids.get(email)}`, Number.POSITIVE_INFINITY, 0)
        return counter?.count ?? 0
      }),
    )

  interface Burst {
    /** How many guesses were judged, and how. */
    readonly statuses: Readonly<Record<number, number>>
    /** How many were answered first that there is no time, and were made again. */
    readonly late: number
    readonly hashes: number
    readonly minutes: number
  }

  /** Makes all guesses at once, at all processes, without waiting for any; then those again that there was no time for. */
  async function burst(
    guessAt: (index: number) => { readonly email: string; readonly address: string },
  ): Promise<Burst> {
    const [before, from] = [await countHashes(), performance.now()]
    const statuses: Record<number, number> = {}
    const late: number[] = []
    const guess = async (index: number): Promise<void> => {
      const sent = plainGuess({ ...guessAt(index), password: wrong, publicUrl })
      const response = await fetch(`${urlAt(index)}${sent.path}`, { method: 'POST', ...sent }).catch(() => null)
      await response?.arrayBuffer().catch(() => null)
      // Of thousands at once, not all are connected, or read, within ten seconds: those were not judged.
      if (response === null || response.status === 408) return void late.push(index)
      if (response.status !== 401) {
        expect(Number(response.headers.get('retry-after')), `status ${response.status}`).toBeGreaterThan(0)
      }
      if (response.status === 503) late.push(index)
      else statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
    await Promise.all(Array.from({ length: guessesAtOnce }, (_none, index) => guess(index)))
    const seen = late.length
    const again = async (): Promise<void> => {
      for (let index = late.pop(); index !== undefined; index = late.pop()) await guess(index)
    }
    await Promise.all(urls.flatMap(() => [again(), again(), again(), again()]))
    const minutes = Math.ceil((performance.now() - from) / 60_000)
    return { statuses, late: seen, hashes: (await countHashes()) - before, minutes }
  }

  const show = ({ statuses, late, hashes }: Burst): string =>
    `${JSON.stringify(statuses)}, ${late} of them after a 503, ${hashes} hashes`

  async function signInFrom(visitor: Visitor, email: string): Promise<Answer> {
    for (;;) {
      const answer = await visitor.signIn(email)
      if (answer.status !== 503) return answer
    }
  }

  /** Comes back at the stated time: three limits may state one after the other, the one of a minute first. */
  async function comeBack(visitor: Visitor, email: string): Promise<Answer> {
    let answer = await signInFrom(visitor, email)
    for (let stated = 0; stated < 3 && answer.status === 429; stated++) {
      await passTime(environment, Number(answer.headers.get('retry-after')) * 1000)
      answer = await signInFrom(visitor, email)
    }
    return answer
  }

  test(`test at most five of ${guessesAtOnce} wrong passwords of an account at once from one address, and let its owner in`, {
    timeout: patience,
  }, async () => {
    const email = emailOf('one-address')
    const address = nextAddress()
    const known = createVisitor(urlAt(0), { isPatient: true })
    expect((await signInFrom(known, email)).status).toBe(200)
    const { authenticator } = await enrollPasskey(known)
    dataOf(await known.ask('mutation { signOut }'))

    const seen = await burst(() => ({ email, address }))
    console.log(`${stores}, one address: ${show(seen)}`)
    expect(seen.hashes, show(seen)).toBeLessThanOrEqual(perAccount)
    expect(await countFailures(email), show(seen)).toBeLessThanOrEqual(perAccount)
    expect(seen.statuses[429] ?? 0).toBeGreaterThanOrEqual(guessesAtOnce - perAccount)

    // Elsewhere no one has guessed; from the known device it is the owner.
    const other = createVisitor(urlAt(1))
    expect((await signInFrom(other, email)).status).toBe(200)
    const atOnce = Object.assign(createVisitor(urlAt(2), { address }), { cookies: new Map(known.cookies) })
    expect((await signInFrom(atOnce, email)).status).toBe(200)
    // Where the guesses came from a passkey signs in, and the password at the stated time.
    const elsewhere = createVisitor(urlAt(3), { address, isPatient: true })
    const throttled = await signInFrom(elsewhere, email)
    expect([throttled.status, throttled.errors[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED'])
    const seconds = Number(throttled.headers.get('retry-after'))
    expect([seconds > 0, seconds <= 900]).toEqual([true, true])
    const response = await signWithPasskey(elsewhere, authenticator)
    const { status } = dataOf(
      await elsewhere.ask(operations.finishPasskey, { input: { response } }),
    ).finishPasskeySignIn
    expect(status).toBe('SIGNED_IN')
    expect((await comeBack(createVisitor(urlAt(0), { address }), email)).status).toBe(200)
  })

  test(`test at most 25 of ${guessesAtOnce} wrong passwords of an account at once from as many addresses, and let its owner in`, {
    timeout: patience,
  }, async () => {
    const email = emailOf('many-addresses')
    const known = createVisitor(urlAt(0), { isPatient: true })
    expect((await signInFrom(known, email)).status).toBe(200)
    const seen = await burst((index) => ({ email, address: `2001:db8:${index.toString(16)}::1` }))
    console.log(`${stores}, many addresses: ${show(seen)}`)
    expect(seen.hashes, show(seen)).toBeLessThanOrEqual(perAccountOfStrangers)
    expect(await countFailures(email), show(seen)).toBeLessThanOrEqual(perAccountOfStrangers)
    const stranger = createVisitor(urlAt(1))
    const throttled = await signInFrom(stranger, email)
    expect(throttled.status).toBe(429)
    expect((await signInFrom(known, email)).status).toBe(200)
    expect((await comeBack(stranger, email)).status).toBe(200)
  })

  test(`test at most thirty a minute of ${guessesAtOnce} wrong passwords of as many accounts at once from one address`, {
    timeout: patience,
  }, async () => {
    const address = nextAddress()
    const seen = await burst((index) => ({ email: emailOf(`stuffed${index}`), address }))
    console.log(`${stores}, many accounts: ${show(seen)}`)
    expect(seen.hashes, show(seen)).toBeLessThanOrEqual(perAddress * (seen.minutes + 1))
  })

  // What a limit is counted by does not depend on where it is counted.
  const disguisesHere = isLong || stores === 'SQLite' ? disguises : []
  test.each(
    disguisesHere.map((disguise, index) => [disguise.title, disguise, emailOf(disguised[index] ?? '')] as const),
  )(
    'four processes compare five guesses and no sixth, whatever differs in %s',
    { timeout: patience },
    async (_title, { write }, email) => {
      const guess = { email, password: wrong, address: nextAddress(), publicUrl }
      for (let index = 0; index < perAccount; index++) {
        expect((await send(index, write(guess, index))).status).toBe(401)
      }
      const before = await countHashes()
      for (let index = 0; index < perAccount; index++) {
        const answer = await send(index + 1, write({ ...guess, password: seedPassword }, index))
        expect(answer.status).toBe(429)
      }
      expect(await countHashes()).toBe(before)
      expect(await countFailures(email)).toBe(perAccount)
    },
  )

  test('four processes treat the device cookie of another account as unknown', { timeout: patience }, async () => {
    const [victim, thief] = [emailOf('victim'), emailOf('thief')]
    const stolen = createVisitor(urlAt(0), { isPatient: true })
    expect((await signInFrom(stolen, thief)).status).toBe(200)
    expect([...stolen.cookies.keys()]).toContain('__Host-device')
    const guess = { email: victim, password: wrong, address: stolen.address, publicUrl }
    for (let index = 0; index < perAccount; index++) expect((await send(index, plainGuess(guess))).status).toBe(401)
    const before = await countHashes()
    for (const index of [0, 1, 2, 3]) {
      const shown = Object.assign(createVisitor(urlAt(index), stolen), { cookies: new Map(stolen.cookies) })
      shown.cookies.delete('__Host-session')
      expect((await signInFrom(shown, victim)).status).toBe(429)
      // Shown for a known device of the victim with another one's codes.
      const forged = shown.cookies.get('__Host-device')?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) ?? ''
      shown.cookies.set('__Host-device', forged)
      expect((await signInFrom(shown, victim)).status).toBe(429)
    }
    expect(await countHashes()).toBe(before)
    // It still is what it was for the account that it is of.
    stolen.cookies.delete('__Host-session')
    expect((await signInFrom(stolen, thief)).status).toBe(200)
  })
})
