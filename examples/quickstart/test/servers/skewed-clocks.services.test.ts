import { setTimeout } from 'node:timers/promises'
import { findFreePort, useService } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { type Environment, type Quickstart, skewedStart, startQuickstart } from '../support/start-quickstart.ts'
import { openStoredRecords, type StoredRecords } from '../support/stored-records.ts'
import { type Answer, askAs, createVisitor, seedPassword, type Variables, type Visitor } from '../support/visitor.ts'

const minute = 60_000
/** The wrong clocks of the four processes: the second and third are those that act. */
const skews = [0, 10 * minute, -10 * minute, 0]
const [ahead, behind] = [1, 2]
/** In one of two the process acts that is ahead, in the other the one that is behind. */
const roundsEach = process.env.TEST_TIER === '3' ? 10 : 2
const email = 'reader@example.com'
const otherPassword = 'badgers dig calmly at dusk'

const viewer = '{ viewer { id } }'
const refreshing = 'mutation ($token: String) { refresh(input: { refreshToken: $token }) { accessToken refreshToken } }'
const changing =
  'mutation ($current: String!, $next: String!) { changePassword(input: { currentPassword: $current, newPassword: $next }) }'

const everyProcess = (status: number) => skews.map(() => status)

/** The machine was too busy for the deadline of a store: what became of the request is unknown. */
class Unanswered extends Error {}

/** A device that is signed in: with a session cookie, or with a refresh token. */
interface Device {
  readonly visitor: Visitor
  refreshToken: string | null
}

describe.each(['PostgreSQL', 'PostgreSQL and Redis'])(
  'four processes on %s, two with a wrong clock',
  { timeout: 180_000 },
  (backend) => {
    const postgres = useService('postgres')
    const server = useService('redis')
    const redis = backend === 'PostgreSQL' ? null : server
    const services: Quickstart[] = []
    let urls: readonly string[] = []
    let stored: StoredRecords

    beforeAll(async () => {
      if (postgres === '' || redis === '') return
      const shared = await createServerEnvironment(postgres, redis === null ? {} : { redisUrl: redis })
      stored = openStoredRecords(shared)
      const ports = await Promise.all(skews.map(() => findFreePort()))
      urls = ports.map((port) => `http://127.0.0.1:${port}`)
      for (const [index, skewMs] of skews.entries()) {
        // The one that is ahead sweeps all the time.
        const clock: Environment = { SKEW_MS: String(skewMs), MINUTE_MS: String(index === ahead ? 200 : minute) }
        services.push(await startQuickstart({ ...shared, ...clock, PORT: String(ports[index]) }, skewedStart))
      }
    })
    afterAll(async () => {
      await Promise.all(services.map((service) => service.stop()))
      await stored?.close()
    })

    const urlOf = (index: number) => urls[index % urls.length] ?? ''
    const patiently = ({ visitor }: Device, index: number, query: string, variables?: Variables) =>
      askAs(visitor, urlOf(index), { query, variables, isPatient: true })
    /** The status of the device's requests at every process, all at once. */
    const statusesOf = async (device: Device) => {
      const answers = await Promise.all(urls.map((_url, index) => patiently(device, index, viewer)))
      return answers.map(({ status }) => status)
    }

    /** Makes a change at a process, once. */
    async function act({ visitor }: Device, index: number, query: string, variables?: Variables): Promise<Answer> {
      const answer = await askAs(visitor, urlOf(index), { query, variables })
      if (answer.status === 503) throw new Unanswered()
      expect([answer.status, answer.errors]).toEqual([200, []])
      return answer
    }

    async function signIn(index: number, delivery: 'SESSION' | 'NATIVE', password = seedPassword): Promise<Device> {
      const visitor = createVisitor(urlOf(index), { isPatient: true })
      const { status, data } = await visitor.signIn(email, delivery, password)
      expect(status).toBe(200)
      return { visitor, refreshToken: data.signIn.refreshToken }
    }
    const keyOf = ({ visitor, refreshToken }: Device) =>
      (visitor.cookies.get('__Host-session') ?? refreshToken ?? '').split('.')[0] ?? ''

    /** One use of the refresh token; the device keeps what it gets. */
    async function refresh(device: Device, index: number): Promise<number> {
      const anonymous = { ...device, visitor: createVisitor(urlOf(index)) }
      const { status, data } = await patiently(anonymous, index, refreshing, { token: device.refreshToken })
      if (status !== 200) return status
      device.refreshToken = data.refresh.refreshToken
      device.visitor.bearer = data.refresh.accessToken
      return status
    }

    /** Rounds in which the process that is ahead and the one that is behind act in turn. */
    async function eachRound(play: (actor: number, round: number) => Promise<void>): Promise<void> {
      let unanswered = 0
      for (let round = 0; round < roundsEach; round++) {
        try {
          await play(round % 2 ? behind : ahead, round)
        } catch (error) {
          if (!(error instanceof Unanswered) || ++unanswered > roundsEach) throw error
          round--
        }
      }
    }

    test('serve by one time, and report their own', async () => {
      const reports = await Promise.all(urls.map(async (url) => (await fetch(`${url}/readyz`)).json()))
      expect(reports.map(({ clockSkewSeconds = 0 }) => Math.round(clockSkewSeconds / 60))).toEqual([0, 10, -10, 0])
    })

    test.each(['SESSION', 'NATIVE'] as const)(
      'a sign-out (%s) at a wrong process holds at once at all',
      async (delivery) => {
        await eachRound(async (actor, round) => {
          const device = await signIn(round, delivery)
          expect(await statusesOf(device)).toEqual(everyProcess(200))
          const { visitor } = device
          const [credential, bearer] = [visitor.cookies.get('__Host-session'), visitor.bearer]
          // By its own clock, the one that is ahead would find nothing to remove.
          await stored.setLifetime(keyOf(device), 5 * minute)
          expect((await act(device, actor, 'mutation { signOut }')).data).toEqual({ signOut: true })
          // What the device was told to forget, a thief may still have.
          if (credential !== undefined) visitor.cookies.set('__Host-session', credential)
          expect(visitor.bearer).toBe(bearer)
          expect(await statusesOf(device)).toEqual(everyProcess(401))
          if (delivery === 'NATIVE') expect(await refresh(device, round)).toBe(401)
        })
      },
    )

    /** A device that asks for it, and one session and one family of others, each opened at another process. */
    async function openThree(actor: number, password = seedPassword): Promise<readonly [Device, Device, Device]> {
      const own = await signIn(actor, 'SESSION', password)
      const others = [
        await signIn(actor + 1, 'SESSION', password),
        await signIn(actor + 2, 'NATIVE', password),
      ] as const
      return [own, ...others]
    }

    async function expectEnded(devices: readonly Device[], index: number): Promise<void> {
      for (const device of devices) {
        expect(await statusesOf(device)).toEqual(everyProcess(401))
        if (device.refreshToken) expect(await refresh(device, index)).toBe(401)
      }
    }

    test('a revocation of all others at a process with a wrong clock holds at all processes at once, and the own session stays', async () => {
      await eachRound(async (actor, round) => {
        const [own, ...others] = await openThree(actor)
        const { data } = await act(own, actor, 'mutation { revokeAllSessions }')
        expect(data.revokeAllSessions).toBeGreaterThanOrEqual(2)
        await expectEnded(others, round)
        expect(await statusesOf(own)).toEqual(everyProcess(200))
        const all = await act(own, actor, 'mutation { revokeAllSessions(exceptCurrent: false) }')
        expect(all.data).toEqual({ revokeAllSessions: 1 })
        await expectEnded([own], round)
      })
    })

    test('a session that has expired is brought back by no process', async () => {
      await eachRound(async (actor, round) => {
        const device = await signIn(round, 'SESSION')
        await stored.setLifetime(keyOf(device), -1)
        expect((await patiently(device, actor, viewer)).status).toBe(401)
        expect((await patiently(device, behind, viewer)).status).toBe(401)
        expect(await statusesOf(device)).toEqual(everyProcess(401))
        expect((await stored.lifetimeOf(keyOf(device))) ?? -1).toBeLessThan(0)
      })
    })

    test('a session with five minutes left is used at every process, and lives an hour from then on', async () => {
      await eachRound(async (actor, round) => {
        const device = await signIn(round, 'SESSION')
        await stored.setLifetime(keyOf(device), 5 * minute)
        expect((await patiently(device, actor, viewer)).status).toBe(200)
        // The use is written down after the answer.
        const left = async () => (await stored.lifetimeOf(keyOf(device))) ?? 0
        await expect.poll(left).toBeGreaterThan(55 * minute)
        expect(await left()).toBeLessThan(60 * minute + 1000)
        expect(await statusesOf(device)).toEqual(everyProcess(200))
      })
    })

    if (redis === null)
      test('the sweep of a process with an early clock removes only expired records', async () => {
        await eachRound(async (_actor, round) => {
          const [living, ended] = [await signIn(round, 'SESSION'), await signIn(round, 'SESSION')]
          await stored.setLifetime(keyOf(living), 5 * minute)
          await stored.setLifetime(keyOf(ended), -1)
          await expect.poll(() => stored.lifetimeOf(keyOf(ended))).toBeNull()
          expect(await statusesOf(living)).toEqual(everyProcess(200))
        })
      })
    else
      test('a revocation of all revokes everything even if the index was evicted', async () => {
        await eachRound(async (actor, round) => {
          const [own, ...others] = await openThree(actor)
          const { id } = (await patiently(own, actor, viewer)).data.viewer
          await stored.dropIndex(id)
          await act(own, actor, 'mutation { revokeAllSessions }')
          await expectEnded(others, round)
          expect(await statusesOf(own)).toEqual(everyProcess(200))
          await stored.dropIndex(id)
          await act(own, actor, 'mutation { revokeAllSessions(exceptCurrent: false) }')
          await expectEnded([own], round)
        })
      })

    test('a refresh that is repeated at a wrong process within the grace window has the same successor', async () => {
      await eachRound(async (actor, round) => {
        const device = await signIn(round, 'NATIVE')
        const again = { ...device }
        expect(await refresh(device, round)).toBe(200)
        expect(await refresh(again, actor)).toBe(200)
        expect(again.refreshToken).toBe(device.refreshToken)
        expect(await statusesOf(device)).toEqual(everyProcess(200))
      })
    })

    test('a refresh that is repeated after the grace window, at any process, revokes the family at all processes', async () => {
      const devices: Device[] = []
      for (let round = 0; round < roundsEach; round++) devices.push(await signIn(round, 'NATIVE'))
      const old = devices.map((device) => ({ ...device }))
      for (const [round, device] of devices.entries()) expect(await refresh(device, round)).toBe(200)
      await setTimeout(10_100)
      for (const [round, again] of old.entries()) {
        expect(await refresh(again, round % 2 ? behind : ahead)).toBe(401)
        await expectEnded(devices.slice(round, round + 1), round)
      }
    })

    /** The password of the account now: a change that was not answered may have been made. */
    let expected = seedPassword
    const otherThan = (password: string) => (password === seedPassword ? otherPassword : seedPassword)
    /** Wrong passwords are limited, so the one is shown first that a change which was answered has left. */
    async function passwordNow(): Promise<readonly [current: string, next: string]> {
      const { status } = await createVisitor(urlOf(0), { isPatient: true }).signIn(email, 'SESSION', expected)
      if (status !== 200) expected = otherThan(expected)
      return [expected, otherThan(expected)]
    }

    test('a password change over a bearer token keeps the family of its device, which refreshes meanwhile', async () => {
      await eachRound(async (actor, round) => {
        const [current, next] = await passwordNow()
        const [, ...others] = await openThree(round, current)
        const own = await signIn(round, 'NATIVE', current)
        const found = new Set<number>()
        let isDone = false
        const keepRefreshing = async () => {
          for (let turn = round; !isDone; turn++) found.add(await refresh(own, turn))
        }
        const keepAsking = async () => {
          for (let turn = round; !isDone; turn++) found.add((await patiently(own, turn, viewer)).status)
        }
        const change = act(own, actor, changing, { current, next }).finally(() => {
          isDone = true
        })
        await Promise.all([change, keepRefreshing(), keepAsking()])
        expected = next
        expect([...found]).toEqual([200])
        await expectEnded(others, round)
        for (const index of skews.keys()) expect(await refresh(own, index)).toBe(200)
        expect(await statusesOf(own)).toEqual(everyProcess(200))
      })
    })

    test('a password change with a session renews its credential, and the old one is dead at all', async () => {
      await eachRound(async (actor, round) => {
        const [current, next] = await passwordNow()
        const [own, ...others] = await openThree(actor, current)
        const old = { ...own, visitor: { ...own.visitor, cookies: new Map(own.visitor.cookies) } }
        await act(own, actor, changing, { current, next })
        expected = next
        // The password is changed even when a store fails after that: then there is no new credential.
        if (keyOf(own) === keyOf(old) || keyOf(own) === '') throw new Unanswered()
        expect(await statusesOf(own)).toEqual(everyProcess(200))
        await expectEnded([old, ...others], round)
      })
      const [current] = await passwordNow()
      if (current !== seedPassword) {
        await patiently(await signIn(0, 'SESSION', current), 0, changing, { current, next: seedPassword })
      }
    })
  },
)
