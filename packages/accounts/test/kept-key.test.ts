import type { SessionCredentials, TokenCredentials } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, createBench, newPassword, password } from './bench.ts'
import { createGate, delay } from './stores/test-stores.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Takes a few turns before each call takes effect, and none after it. */
const late: NonNullable<BenchOptions['aroundRecords']> = async (_method, run) => {
  for (let left = 3; left > 0; left--) await turn()
  return run()
}

async function openSession(bench: Bench) {
  const { identity, credentials } = await bench.signIn()
  const { credential } = credentials as SessionCredentials
  const identify = async () => bench.accounts.identifySession(await bench.sessions.read(credential))
  return { identity, credential, identify }
}

async function openFamily(bench: Bench) {
  const { identity, credentials } = await bench.signIn({ delivery: 'token' })
  let { accessToken, refreshToken } = credentials as TokenCredentials
  const claims = await bench.verify(accessToken)
  const identify = () => bench.accounts.identifyToken(claims)
  const refresh = async () => {
    const result = await bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })
    if (result.ok) ({ accessToken, refreshToken } = result.credentials)
    return result.ok
  }
  return { identity, identify, refresh }
}

/** The raises that keep the session or family of their request. */
const keeping = {
  'revoking all others': (bench: Bench, identity: Parameters<Bench['accounts']['revokeAllSessions']>[0]['identity']) =>
    bench.accounts.revokeAllSessions({ identity }),
  'changing the password': (bench: Bench, identity: Parameters<Bench['accounts']['changePassword']>[0]['identity']) =>
    bench.accounts.changePassword({ identity, currentPassword: password, newPassword }),
}
const raises = Object.entries(keeping)

describe('without any entry in the owner index', () => {
  const withoutIndex: BenchOptions = {
    aroundRecords: async (method, run) => {
      if (method === 'listByOwner') return { items: [] }
      return method === 'removeByOwner' ? 0 : run()
    },
  }

  test('revoking all others leaves none of 25 sessions and 25 families valid, and the current one is', async () => {
    const bench = createBench(withoutIndex)
    await bench.insert()
    const current = await openSession(bench)
    const others = await Promise.all(Array.from({ length: 25 }, () => openSession(bench)))
    const families = await Promise.all(Array.from({ length: 25 }, () => openFamily(bench)))
    await bench.accounts.revokeAllSessions({ identity: current.identity })
    expect((await Promise.all([...others, ...families].map(({ identify }) => identify()))).filter(Boolean)).toEqual([])
    expect((await Promise.all(families.map(({ refresh }) => refresh()))).filter(Boolean)).toEqual([])
    expect(await current.identify()).toMatchObject({ key: current.identity.key, epoch: 1 })
  })

  test('an invalid session revokes and keeps no session, although its record exists', async () => {
    const bench = createBench(withoutIndex)
    const { id } = await bench.insert()
    const [own, ended] = [await openSession(bench), await openSession(bench)]
    await bench.accounts.revokeAllSessions({ identity: own.identity })
    expect(await bench.sessions.read(ended.credential)).not.toBeNull()
    expect(await bench.accounts.revokeAllSessions({ identity: ended.identity })).toBe(0)
    expect(await bench.store.get(id)).toMatchObject({ epoch: 1, keptKey: own.identity.key })
    await bench.accounts.changePassword({ identity: ended.identity, currentPassword: password, newPassword })
    expect(await bench.store.get(id)).toMatchObject({ epoch: 2, keptKey: null })
  })

  test('revoking all of them leaves none', async () => {
    const bench = createBench(withoutIndex)
    await bench.insert()
    const [current, family] = [await openSession(bench), await openFamily(bench)]
    await bench.accounts.revokeAllSessions({ identity: current.identity, exceptCurrent: false })
    expect([await current.identify(), await family.identify(), await family.refresh()]).toEqual([null, null, false])
  })
})

describe.each(raises)('%s', (_what, raise) => {
  test('raises the epoch and names what is kept in one statement', async () => {
    const changes: unknown[] = []
    const bench = createBench({
      aroundAccounts: async (method, run) => {
        const result = await run()
        if (method === 'replace') changes.push(await bench.store.get(id))
        return result
      },
    })
    const { id } = await bench.insert({ epoch: 6 })
    const { identity } = await openFamily(bench)
    await raise(bench, identity)
    expect(changes).toMatchObject([{ epoch: 7, keptKey: identity.key }])
  })

  test('all parallel requests of the own device succeed, and none of another device after the change', async () => {
    for (let round = 0; round < 5; round++) {
      let isRaised = false
      const bench = createBench({
        aroundRecords: late,
        aroundAccounts: async (method, run) => {
          await turn()
          const result = await run()
          if (method === 'replace') isRaised = true
          return result
        },
      })
      await bench.insert()
      const own = round % 2 === 0 ? await openSession(bench) : await openFamily(bench)
      const other = [await openSession(bench), await openFamily(bench)]
      let isAnswered = false
      const ownRequests = async () => {
        const outcomes: boolean[] = []
        while (!isAnswered) {
          const isAccepted = (await own.identify()) !== null
          if (!isAnswered) outcomes.push(isAccepted)
        }
        return outcomes
      }
      const otherRequests = async () => {
        const outcomes: boolean[] = []
        while (!isAnswered) {
          const wasRaised = isRaised
          const found = await Promise.all(other.map(({ identify }) => identify()))
          if (wasRaised) outcomes.push(...found.map((facts) => facts !== null))
        }
        return outcomes
      }
      const raising = raise(bench, own.identity).finally(() => {
        isAnswered = true
      })
      const [mine, also, theirs] = await Promise.all([ownRequests(), ownRequests(), otherRequests(), raising])
      expect(mine.length + also.length).toBeGreaterThan(4)
      expect([...mine, ...also]).not.toContain(false)
      expect(theirs.length).toBeGreaterThan(0)
      expect(theirs).not.toContain(true)
    }
  })

  test('the family of a bearer token stays valid while the same device refreshes', async () => {
    for (let round = 0; round < 12; round++) {
      const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
      const { id } = await bench.insert()
      const [own, other] = [await openFamily(bench), await openFamily(bench)]
      let isDone = false
      const refreshing = async () => {
        const outcomes: boolean[] = []
        while (!isDone) outcomes.push(await own.refresh())
        return outcomes
      }
      const raising = raise(bench, own.identity).finally(() => {
        isDone = true
      })
      const [outcomes] = await Promise.all([refreshing(), raising])
      expect(outcomes).not.toContain(false)
      expect([await own.refresh(), (await own.identify())?.epoch]).toEqual([true, 1])
      expect([await other.refresh(), await other.identify()]).toEqual([false, null])
      expect((await bench.accounts.listSessions(id)).map(({ key }) => key)).toEqual([own.identity.key])
    }
  })

  test('a request whose session was just revoked keeps no session', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const [own, other] = [await openSession(bench), await openSession(bench)]
    await bench.accounts.revokeAllSessions({ identity: other.identity })
    await raise(bench, own.identity)
    expect(await own.identify()).toBeNull()
    expect((await bench.store.get(id))?.keptKey).not.toBe(own.identity.key)
  })

  test('does not keep a family of another client', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { family } = await bench.refreshTokens.issue({ subject: id, clientId: 'third-party', factors: [] })
    await raise(bench, { subject: id, key: family.key, via: 'bearer' })
    expect(await bench.accounts.listSessions(id)).toEqual([])
  })

  test('repeated raises keep the family each time, and its first access token stays valid', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const own = await openFamily(bench)
    const passwords = [password, newPassword]
    for (let raised = 1; raised <= 4; raised++) {
      const [currentPassword = '', next = ''] = raised % 2 ? passwords : passwords.toReversed()
      const stranger = await openFamily(bench).catch(() => null)
      if (raise === keeping['revoking all others']) await raise(bench, own.identity)
      else await bench.accounts.changePassword({ identity: own.identity, currentPassword, newPassword: next })
      expect((await bench.store.get(id))?.epoch).toBe(raised)
      expect([(await own.identify())?.epoch, await own.refresh()]).toEqual([raised, true])
      if (stranger) expect(await stranger.identify()).toBeNull()
    }
  })
})

describe('a session or family that one raise has kept', () => {
  const others: readonly (readonly [string, (bench: Bench, id: string) => Promise<unknown>])[] = [
    ['a change of roles', (bench, id) => bench.accounts.setRoles({ id, roles: ['EDITOR'] })],
    ['disabling', (bench, id) => bench.accounts.disable({ id })],
    [
      'disabling and enabling',
      async (bench, id) => [await bench.accounts.disable({ id }), await bench.accounts.enable({ id })],
    ],
    [
      'a reset of the password',
      async (bench) => {
        await bench.accounts.requestPasswordReset({ email: 'reader@example.com' })
        await bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword })
      },
    ],
    [
      'another device that revokes all others',
      async (bench) => bench.accounts.revokeAllSessions({ identity: (await openSession(bench)).identity }),
    ],
    ['revoking all', (bench, id) => bench.accounts.revokeAllSessions({ identity: { subject: id } })],
    [
      'a swap of the application that names no key',
      async (bench, id) => bench.store.replace(id, {}, { epoch: ((await bench.store.get(id))?.epoch ?? 0) + 1 }),
    ],
  ]

  describe.each(others)('%s revokes it', (_what, end) => {
    test.each([
      ['a session', openSession],
      ['a family', openFamily],
    ])('%s', async (_kind, open) => {
      const bench = createBench()
      const { id } = await bench.insert()
      const own = await open(bench)
      await bench.accounts.revokeAllSessions({ identity: own.identity })
      expect(await own.identify()).not.toBeNull()
      await end(bench, id)
      expect(await own.identify()).toBeNull()
    })
  })
})

test('a kept key counts for the epoch before and for no earlier one', async () => {
  const bench = createBench()
  const { id } = await bench.insert()
  const own = await openSession(bench)
  await bench.store.replace(id, {}, { epoch: 1, keptKey: own.identity.key })
  expect(await own.identify()).not.toBeNull()
  await bench.store.replace(id, {}, { epoch: 2, keptKey: own.identity.key })
  expect(await own.identify()).toBeNull()
})

test('of two devices that revoke all other sessions in parallel, one stays signed in', async () => {
  for (let round = 0; round < 10; round++) {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const { id } = await bench.insert()
    const devices = [await openSession(bench), await openFamily(bench)]
    const counts = await Promise.all(devices.map(({ identity }) => bench.accounts.revokeAllSessions({ identity })))
    const found = await Promise.all(devices.map(({ identify }) => identify()))
    expect(found.filter(Boolean)).toHaveLength(1)
    expect(counts[found.indexOf(null)]).toBe(0)
    expect((await bench.store.get(id))?.epoch).toBe(1)
  }
})

test('a session that was read before it was carried and kept is checked against its current state', async () => {
  const bench = createBench()
  const { id } = await bench.insert()
  const own = await openSession(bench)
  await bench.accounts.revokeAllSessions({ identity: own.identity })
  const readBefore = await bench.sessions.read(own.credential)
  await bench.accounts.revokeAllSessions({ identity: own.identity })
  expect((await bench.store.get(id))?.epoch).toBe(2)
  expect(await bench.accounts.identifySession(readBefore)).toMatchObject({ epoch: 2 })
})

test('an access token is accepted if its account was read before two raises and its family after them', async () => {
  const [read, raised] = [createGate(), createGate()]
  let isHeld = false
  const bench = createBench({
    aroundAccounts: async (method, run) => {
      const result = await run()
      if (method === 'get' && isHeld) {
        isHeld = false
        read.open()
        await raised.passed
      }
      return result
    },
    aroundRecords: async (method, run) => {
      if (method === 'get' && reading) await raised.passed
      return run()
    },
  })
  let reading = false
  await bench.insert()
  const own = await openFamily(bench)
  isHeld = true
  reading = true
  const identifying = own.identify()
  await read.passed
  reading = false
  await bench.accounts.revokeAllSessions({ identity: own.identity })
  await bench.accounts.revokeAllSessions({ identity: own.identity })
  raised.open()
  expect(await identifying).toMatchObject({ epoch: 2 })
})
