import {
  createDenyList,
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  createMemoryDenialStore,
  type DenialStore,
  type DenyListOptions,
  generateJwtKey,
  type StoredDenyList,
} from '@latchkey/jwt'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience, issuer, seconds } from './forge-token.ts'

const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
let denials: DenialStore
let reads: number
let stored: [id: string, until: number][]
let time: number
const now = () => time

beforeEach(() => {
  time = seconds * 1000
  reads = 0
  stored = []
  const inner = createMemoryDenialStore({ now })
  denials = {
    deny: (id, until) => {
      stored.push([id, until])
      return inner.deny(id, until)
    },
    isAnyDenied: (ids) => {
      reads++
      return inner.isAnyDenied(ids)
    },
  }
})

const create = (options: Partial<DenyListOptions> = {}) => createDenyList({ denials, now, ...options })
const sign = async (sid?: string) => {
  const { token } = await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1', sid })
  return token
}
const verify = (denyList: StoredDenyList, token: string) =>
  createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys, denyList, now }).verify(token)
const judge = async (denyList: StoredDenyList, token: string) => {
  const verdict = await verify(denyList, token)
  return verdict.ok ? 'ok' : verdict.reason
}
const claimsOf = async (denyList: StoredDenyList, token: string) => {
  const verdict = await verify(denyList, token)
  if (!verdict.ok) throw new Error(verdict.reason)
  return verdict.claims
}

test('a denied token is refused from the next request on, in every process, and others of its session are not', async () => {
  const [here, there] = [create(), create()]
  const [token, sibling] = [await sign('rf_1'), await sign('rf_1')]
  const claims = await claimsOf(here, token)
  await here.denyToken(claims)
  for (const denyList of [here, there]) {
    expect([await judge(denyList, token), await judge(denyList, sibling)]).toEqual(['denied', 'ok'])
  }
  expect(stored).toEqual([[expect.stringMatching(/^jti:[\w-]{43}$/), (claims.exp + 300) * 1000]])
})

test('a denied session ends all of its tokens, and those of no other', async () => {
  const denyList = create({ maxLifetimeSeconds: 600 })
  const tokens = [await sign('rf_1'), await sign('rf_1')]
  const others = [await sign('rf_2'), await sign()]
  await denyList.denySession('rf_1')
  for (const token of tokens) expect(await judge(denyList, token)).toBe('denied')
  for (const token of others) expect(await judge(denyList, token)).toBe('ok')
  expect(stored).toEqual([[expect.stringMatching(/^sid:[\w-]{43}$/), time + 900_000]])
})

test('an id of one kind never passes for the other', async () => {
  const denyList = create()
  const token = await sign('rf_1')
  const { jti = '' } = await claimsOf(denyList, token)
  await denyList.denySession(jti)
  await denyList.denyToken({ jti: 'rf_1', exp: seconds + 900 })
  expect(await judge(denyList, token)).toBe('ok')
})

test('one token costs one read, and one with neither id none', async () => {
  const denyList = create()
  const token = await sign('rf_1')
  reads = 0
  expect(await judge(denyList, token)).toBe('ok')
  expect(reads).toBe(1)
  const { jti: _jti, sid: _sid, ...claims } = await claimsOf(denyList, token)
  reads = 0
  expect(await denyList.isDenied(claims as never)).toBe(false)
  expect(reads).toBe(0)
})

describe('with maxStalenessSeconds', () => {
  test('an answer is used again for no longer', async () => {
    const [here, there] = [create({ maxStalenessSeconds: 5 }), create()]
    const token = await sign('rf_1')
    expect(await judge(here, token)).toBe('ok')
    await there.denySession('rf_1')
    time += 4_999
    expect([await judge(here, token), reads]).toEqual(['ok', 1])
    time += 1
    expect([await judge(here, token), reads]).toEqual(['denied', 2])
  })

  test('a clock that was set back does not extend the age of an answer', async () => {
    const [here, there] = [create({ maxStalenessSeconds: 5 }), create()]
    const token = await sign('rf_1')
    expect(await judge(here, token)).toBe('ok')
    await there.denySession('rf_1')
    time -= 5_000
    expect(await judge(here, token)).toBe('denied')
  })

  test('what this process denies is refused at once', async () => {
    const denyList = create({ maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    expect(await judge(denyList, token)).toBe('ok')
    await denyList.denySession('rf_1')
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('what this process denies is refused at once, also where the store was asked before and answers after it', async () => {
    const answered = Promise.withResolvers<void>()
    const slow: DenialStore = {
      ...denials,
      async isAnyDenied(ids) {
        const answer = await denials.isAnyDenied(ids)
        if (reads === 1) await answered.promise
        return answer
      },
    }
    const denyList = create({ denials: slow, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    const before = judge(denyList, token)
    await expect.poll(() => reads).toBe(1)
    await denyList.denySession('rf_1')
    answered.resolve()
    await before
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('a denial that may have been stored although its store failed is looked up again', async () => {
    const lost = new Error('the answer was lost')
    const losing: DenialStore = {
      ...denials,
      async deny(id, until) {
        await denials.deny(id, until)
        throw lost
      },
    }
    const denyList = create({ denials: losing, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    expect(await judge(denyList, token)).toBe('ok')
    await expect(denyList.denySession('rf_1')).rejects.toBe(lost)
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('a store that fails is asked again, and is no verdict', async () => {
    const down = new Error('no connection')
    let isDown = true
    const failing = {
      ...denials,
      isAnyDenied: (ids: readonly string[]) => (isDown ? Promise.reject(down) : denials.isAnyDenied(ids)),
    }
    const denyList = create({ denials: failing, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    await expect(verify(denyList, token)).rejects.toBe(down)
    isDown = false
    expect(await judge(denyList, token)).toBe('ok')
  })
})

test('a store that fails is no verdict, and nothing is denied by it', async () => {
  const down = new Error('no connection')
  const denyList = create({
    denials: { deny: () => Promise.reject(down), isAnyDenied: () => Promise.reject(down) },
  })
  await expect(verify(denyList, await sign('rf_1'))).rejects.toBe(down)
  await expect(denyList.denySession('rf_1')).rejects.toBe(down)
  await expect(denyList.denyToken({ jti: 'a', exp: seconds })).rejects.toBe(down)
})

test('a token without an id cannot be denied by it', async () => {
  await expect(create().denyToken({ exp: seconds })).rejects.toThrow(TypeError)
  await expect(create().denySession('')).rejects.toThrow('"sid"')
  expect(stored).toEqual([])
})

test.each<[string, object]>([
  ['createDenyList has no option "maxStaleness". Did you mean "maxStalenessSeconds"?', { maxStaleness: 1 }],
  ['"denials" must be a store of denials', { denials: undefined }],
  ['"denials" must be a store of denials', { denials: new Set() }],
  ['"maxStalenessSeconds" must be', { maxStalenessSeconds: -1 }],
  ['"maxStalenessSeconds" must be', { maxStalenessSeconds: 0.5 }],
  ['"maxLifetimeSeconds" must be', { maxLifetimeSeconds: 0 }],
])('a deny list is refused: %s', (message, options) => {
  expect(() => create(options)).toThrow(TypeError)
  expect(() => create(options)).toThrow(message)
})
