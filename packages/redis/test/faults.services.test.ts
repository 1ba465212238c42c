import { setTimeout } from 'node:timers/promises'
import { randomBytes } from '@latchkey/bytes'
import { createRedisStores, type RedisStores } from '@latchkey/redis'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createOneTimeCredentials } from '@latchkey/store'
import { expectWithin, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, libraries } from './clients.ts'
import { observe, openPair, ownProxy, ownServer, patientMs, timeToFail, timeToRecover, unavailable } from './support.ts'

// A machine without Redis skips these too.
useService('redis')

/** A fault is answered within 300 ms, and over within 2 s. */
function judge(fault: string, failedMs: number | null, recoveredMs: number | null): void {
  if (failedMs !== null) expectWithin(300, `${fault}: StoreError after`, failedMs)
  if (recoveredMs !== null) expectWithin(2000, `${fault}: works again after`, recoveredMs)
}

const secrets = [{ id: 'one', bytes: randomBytes(32) }] as const
const factors = [{ kind: 'password', at: 0 }]
const asked = { clientId: 'web' }

/** The stores as a service has them, and beside them the same ones for what is not measured, on one client. */
interface House {
  readonly stores: RedisStores
  readonly calm: RedisStores
}

/** Two people with a session and a refresh family each, over the stores. */
async function signPeopleIn({ stores, calm }: House, graceSeconds = 10) {
  const open = ({ records }: RedisStores) => ({
    sessions: createSessions({ records }),
    refreshTokens: createRefreshTokens({ records, secrets, graceSeconds }),
    links: createOneTimeCredentials({ records, kind: 'reset', ttlSeconds: 600 }),
  })
  const { sessions, refreshTokens, links } = open(calm)
  const signIn = async (subject: string) => {
    const issued = await sessions.create({ subject, factors })
    if (!issued) throw new Error('a fresh session was refused')
    const { token } = await refreshTokens.issue({ subject, factors, ...asked })
    return { subject, credential: issued.credential, key: issued.session.key, token }
  }
  const [ada, bob] = [await signIn('ada'), await signIn('bob')]
  const { credential: link } = await links.create({ owner: 'ada', value: '' })
  const subjectOf = async (credential: string) => (await sessions.read(credential))?.subject ?? null
  const service = open(stores)
  /** Everything that a service would call, each of which must fail while Redis does. */
  const everything: readonly (() => Promise<unknown>)[] = [
    () => service.sessions.read(ada.credential),
    () => service.sessions.create({ subject: 'ada', factors }),
    () => service.sessions.list('ada'),
    () => service.sessions.revoke('ada', ada.key),
    () => service.sessions.revokeAll('ada'),
    () => service.refreshTokens.redeem(ada.token, asked),
    () => service.links.consume(link),
    () => stores.counters.hit('sign-in:ada', 60_000),
  ]
  const failAll = async () => Math.max(...(await Promise.all(everything.map(timeToFail))))
  return { sessions, refreshTokens, links, link, ada, bob, subjectOf, failAll, service }
}

describe.each(libraries)('a Redis of %s that', (library, connect: Connect) => {
  async function openHouse(url: string, waitReplicas = 0): Promise<House> {
    const { client, close } = await connect(url)
    onTestFinished(close)
    const stores = createRedisStores({ client, waitReplicas })
    return { stores, calm: createRedisStores({ client, waitReplicas, deadlineMs: patientMs }) }
  }

  test('is killed is answered with an outage, and everything is there when it is back', async () => {
    const server = await ownServer(['--appendonly', 'yes', '--appendfsync', 'always'])
    const house = await openHouse(server.url)
    const { failAll, ada, bob, subjectOf, sessions, refreshTokens, links, link, service } = await signPeopleIn(house)
    await sessions.revoke('bob', bob.key)
    await server.kill()
    const failedMs = await failAll()
    // Asked all the time, as a service is: it never says that a session has ended.
    for (let round = 0; round < 10; round++) await timeToFail(() => service.sessions.read(ada.credential))
    await server.start()
    const recoveredMs = await timeToRecover(house.stores)
    judge(`${library}: stopped (SIGKILL)`, failedMs, recoveredMs)
    expect(await subjectOf(ada.credential)).toBe('ada')
    expect(await subjectOf(bob.credential)).toBeNull()
    expect(await refreshTokens.redeem(ada.token, asked)).toMatchObject({ ok: true, replayed: false })
    expect(await links.consume(link)).toMatchObject({ owner: 'ada' })
    expect(await links.consume(link)).toBeNull()
  })

  test('hangs is answered with an outage, and applies no late change when it resumes', async () => {
    const server = await ownServer()
    const house = await openHouse(server.url)
    const { failAll, ada, subjectOf, sessions, refreshTokens, links, link } = await signPeopleIn(house)
    server.pause()
    const failedMs = await failAll()
    await setTimeout(500)
    server.resume()
    const recoveredMs = await timeToRecover(house.stores)
    judge(`${library}: hung (SIGSTOP)`, failedMs, recoveredMs)
    await setTimeout(100)
    expect(await subjectOf(ada.credential)).toBe('ada')
    expect((await sessions.list('ada')).map(({ kind }) => kind).toSorted()).toEqual(['refresh', 'session'])
    expect(await refreshTokens.redeem(ada.token, asked)).toMatchObject({ ok: true, replayed: false })
    expect(await links.consume(link)).toMatchObject({ owner: 'ada' })
    expect((await house.calm.counters.hit('sign-in:ada', 60_000)).count).toBe(1)
    expect(await (await observe(server.url)).zcard('latchkey:owner:ada')).toBe(2)
  })

  test('hangs for less than the deadline is waited for', async () => {
    const server = await ownServer()
    const { ada, subjectOf, refreshTokens } = await signPeopleIn(await openHouse(server.url))
    server.pause()
    const reading = [subjectOf(ada.credential), refreshTokens.redeem(ada.token, asked)]
    await setTimeout(120)
    server.resume()
    expect(await Promise.all(reading)).toMatchObject(['ada', { ok: true, replayed: false }])
  })

  test('is slow answers rightly or not at all', async () => {
    const server = await ownServer()
    const house = await openHouse(server.url)
    const { failAll, ada, bob, subjectOf, refreshTokens, links, link } = await signPeopleIn(house)
    const redis = await observe(server.url)
    await redis.call('CLIENT', 'PAUSE', '120', 'ALL')
    expect(await subjectOf(bob.credential)).toBe('bob')
    await redis.call('CLIENT', 'PAUSE', '1500', 'ALL')
    const failedMs = await failAll()
    const recoveredMs = await timeToRecover(house.stores)
    judge(`${library}: slow (1500 ms a command)`, failedMs, recoveredMs)
    expect(await subjectOf(ada.credential)).toBe('ada')
    expect(await refreshTokens.redeem(ada.token, asked)).toMatchObject({ ok: true, replayed: false })
    expect(await links.consume(link)).toMatchObject({ owner: 'ada' })
  })

  test('is unreachable without a word is answered with an outage, and found again', async () => {
    const server = await ownServer()
    const proxy = await ownProxy(server)
    const house = await openHouse(`redis://127.0.0.1:${proxy.port}`)
    const { failAll, ada, subjectOf, refreshTokens } = await signPeopleIn(house)
    proxy.hold()
    const failedMs = await failAll()
    await setTimeout(300)
    proxy.release()
    const recoveredMs = await timeToRecover(house.stores)
    judge(`${library}: held on the way`, failedMs, recoveredMs)
    expect(await subjectOf(ada.credential)).toBe('ada')
    expect(await refreshTokens.redeem(ada.token, asked)).toMatchObject({ ok: true, replayed: false })
  })

  test('is flushed signs all users out, and has no other effect', async () => {
    const server = await ownServer()
    const house = await openHouse(server.url)
    const { ada, bob, subjectOf, sessions, refreshTokens, links, link } = await signPeopleIn(house)
    const redis = await observe(server.url)
    await redis.flushall()
    await redis.script('FLUSH')
    const recoveredMs = await timeToRecover(house.stores)
    judge(`${library}: flushed`, null, recoveredMs)
    for (const { subject, credential, key, token } of [ada, bob]) {
      expect(await subjectOf(credential)).toBeNull()
      expect(await refreshTokens.redeem(token, asked)).toEqual({ ok: false, reason: 'unknown' })
      expect(await sessions.list(subject)).toEqual([])
      expect(await sessions.revoke(subject, key)).toBe(false)
    }
    expect(await links.consume(link)).toBeNull()
    const again = await sessions.create({ subject: 'ada', factors })
    expect(await subjectOf(again?.credential ?? '')).toBe('ada')
    expect(await sessions.list('ada')).toHaveLength(1)
  })

  test('loses its connection after a change does not repeat the change', async () => {
    const server = await ownServer()
    const proxy = await ownProxy(server)
    const house = await openHouse(`redis://127.0.0.1:${proxy.port}`)
    const { ada, subjectOf, sessions, refreshTokens, links, link } = await signPeopleIn(house)
    const cutReply = async (call: () => Promise<unknown>, nth = 1) => {
      let replies = 0
      const cut = proxy.cutAt('reply', (chunk) => chunk.includes('done') && ++replies === nth)
      const [failedMs] = await Promise.all([timeToFail(call), cut])
      return { failedMs, recoveredMs: await timeToRecover(house.stores) }
    }
    const hit = () => house.calm.counters.hit('sign-in:ada', 60_000)
    await hit()
    const { failedMs, recoveredMs } = await cutReply(hit)
    judge(`${library}: connection lost before the answer`, failedMs, recoveredMs)
    await setTimeout(300)
    expect((await hit()).count).toBe(3)

    // The second reply is that of the swap: the first is that of the index.
    await cutReply(() => house.calm.records.remove(link.split('.')[0]!))
    expect(await links.consume(link)).toBeNull()
    await cutReply(() => refreshTokens.redeem(ada.token, asked), 3)
    const again = await refreshTokens.redeem(ada.token, asked)
    const next = await refreshTokens.redeem(again.ok ? again.token : null, asked)
    expect([again, next]).toMatchObject([
      { ok: true, replayed: true },
      { ok: true, replayed: false },
    ])
    await cutReply(() => sessions.revoke('ada', ada.key), 2)
    expect(await subjectOf(ada.credential)).toBeNull()
  })

  describe('has a replica', () => {
    test('acknowledges no change that a promotion would lose', async () => {
      const { primary, replica, promoted } = await openPair()
      const house = await openHouse(primary.url, 1)
      const { ada, bob, link, links, sessions, refreshTokens } = await signPeopleIn(house, 0)
      const rotated = await refreshTokens.redeem(ada.token, asked)
      await sessions.revoke('bob', bob.key)
      await links.consume(link)
      const start = performance.now()
      await primary.kill()
      await promoted.replicaof('NO', 'ONE')
      const { stores, calm: after } = await openHouse(replica.url)
      await timeToRecover(stores)
      judge(`${library}: replica promoted, new client`, null, performance.now() - start)
      const people = createSessions({ records: after.records })
      const tokens = createRefreshTokens({ records: after.records, secrets, graceSeconds: 0 })
      const onceOnly = createOneTimeCredentials({ records: after.records, kind: 'reset', ttlSeconds: 600 })
      expect((await people.read(ada.credential))?.subject).toBe('ada')
      expect(await people.read(bob.credential)).toBeNull()
      expect(await onceOnly.consume(link)).toBeNull()
      expect(await tokens.redeem(rotated.ok ? rotated.token : null, asked)).toMatchObject({ ok: true, replayed: false })
      expect(await tokens.redeem(ada.token, asked)).toMatchObject({ ok: false, reason: 'reused' })
    })

    test('keeps its client, which finds the promoted replica behind the same address', async () => {
      const { primary, promoted } = await openPair()
      // The replica takes over the very address, as a service name or a floating address would let it.
      const house = await openHouse(primary.url, 1)
      const { ada, bob, sessions, subjectOf, service } = await signPeopleIn(house)
      await sessions.revoke('bob', bob.key)
      await primary.kill()
      const failedMs = await timeToFail(() => service.sessions.read(ada.credential))
      await promoted.replicaof('NO', 'ONE')
      await promoted.config('SET', 'port', String(primary.port))
      const recoveredMs = await timeToRecover(house.stores)
      judge(`${library}: replica promoted, same address`, failedMs, recoveredMs)
      expect(await subjectOf(ada.credential)).toBe('ada')
      expect(await subjectOf(bob.credential)).toBeNull()
      // One replica was asked for, and there is none any more: reads go on, and no change is acknowledged.
      await expect(service.sessions.create({ subject: 'ada', factors })).rejects.toMatchObject(unavailable)
      await expect(house.stores.check()).rejects.toMatchObject(unavailable)
    })

    test('that hangs makes changes an outage within the deadline', async () => {
      const { primary, replica } = await openPair()
      const house = await openHouse(primary.url, 1)
      const { ada, bob, service, subjectOf } = await signPeopleIn(house)
      replica.pause()
      const failedMs = await timeToFail(() => service.sessions.revoke('bob', bob.key))
      judge(`${library}: replica hung`, failedMs, null)
      await expect(house.stores.check()).rejects.toMatchObject(unavailable)
      replica.resume()
      expect(await subjectOf(ada.credential)).toBe('ada')
    })

    test('that is asked by mistake is an outage', async () => {
      const { replica, primary } = await openPair()
      await (await openHouse(primary.url)).calm.records.insert({
        key: 'se_1',
        owner: null,
        expiresAt: Date.now() + 60_000,
        value: '',
      })
      const { calm } = await openHouse(replica.url)
      await expect(calm.records.get('se_1')).rejects.toMatchObject(unavailable)
      await expect(calm.check()).rejects.toMatchObject(unavailable)
      const check = async (waitReplicas: number) => (await openHouse(primary.url, waitReplicas)).calm.check()
      await expect(check(0)).rejects.toThrow('"waitReplicas"')
      await check(1)
      await expect(check(2)).rejects.toThrow('1 of 2 replicas')
    })
  })
})
