import {
  createDenyList,
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  type DenyList,
  generateJwtKey,
} from '@latchkey/jwt'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { listPages } from '@latchkey/store/internal'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience, issuer, seconds } from './forge-token.ts'

const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
let documents: DocumentStore
let reads: string[]
let time: number
const now = () => time

beforeEach(() => {
  time = seconds * 1000
  reads = []
  const inner = createMemoryDocumentStore()
  documents = {
    ...inner,
    get: (collection, id) => {
      reads.push(id.slice(0, 3))
      return inner.get(collection, id)
    },
  }
})

type Options = Parameters<typeof createDenyList>[0]
const create = (options: Partial<Options> = {}) => createDenyList({ documents, now, ...options })

/** What is stored: the ids, and until when each is denied. */
async function storedIn(store = documents): Promise<readonly (readonly [id: string, until: number])[]> {
  const denials = await listPages((page) => store.list('denials', page))
  return denials.map(({ id, value }) => [id, JSON.parse(value).until])
}

const sign = async (sid?: string) => {
  const { token } = await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1', sid })
  return token
}
const verify = (denyList: DenyList, token: string) =>
  createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys, denyList, now }).verify(token)
const judge = async (denyList: DenyList, token: string) => {
  const verdict = await verify(denyList, token)
  return verdict.ok ? 'ok' : verdict.reason
}
const claimsOf = async (denyList: DenyList, token: string) => {
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
  expect(await storedIn()).toEqual([[expect.stringMatching(/^jti:[\w-]{43}$/), (claims.exp + 300) * 1000]])
})

test('a denied session refuses all of its tokens, and no token of another session', async () => {
  const denyList = create({ maxLifetimeSeconds: 600 })
  const tokens = [await sign('rf_1'), await sign('rf_1')]
  const others = [await sign('rf_2'), await sign()]
  await denyList.denySession('rf_1')
  for (const token of tokens) expect(await judge(denyList, token)).toBe('denied')
  for (const token of others) expect(await judge(denyList, token)).toBe('ok')
  expect(await storedIn()).toEqual([[expect.stringMatching(/^sid:[\w-]{43}$/), time + 900_000]])
})

test('an id of one kind never passes for the other', async () => {
  const denyList = create()
  const token = await sign('rf_1')
  const { jti = '' } = await claimsOf(denyList, token)
  await denyList.denySession(jti)
  await denyList.denyToken({ jti: 'rf_1', exp: seconds + 900 })
  expect(await judge(denyList, token)).toBe('ok')
})

test('a token costs a read for its id and for its session, and a token without ids costs no read', async () => {
  const denyList = create()
  const token = await sign('rf_1')
  reads = []
  expect(await judge(denyList, token)).toBe('ok')
  expect(reads).toEqual(['jti', 'sid'])
  const { jti: _jti, sid: _sid, ...claims } = await claimsOf(denyList, token)
  reads = []
  expect(await denyList.isDenied(claims as never)).toBe(false)
  expect(reads).toEqual([])
})

describe('a deny list with maxStalenessSeconds', () => {
  test('an answer is used again for no longer', async () => {
    const [here, there] = [create({ maxStalenessSeconds: 5 }), create()]
    const token = await sign('rf_1')
    expect(await judge(here, token)).toBe('ok')
    await there.denySession('rf_1')
    time += 4_999
    expect([await judge(here, token), reads.length]).toEqual(['ok', 2])
    time += 1
    expect([await judge(here, token), reads.length]).toEqual(['denied', 4])
  })

  test('a clock that was set back does not extend the age of an answer', async () => {
    const [here, there] = [create({ maxStalenessSeconds: 5 }), create()]
    const token = await sign('rf_1')
    expect(await judge(here, token)).toBe('ok')
    await there.denySession('rf_1')
    time -= 5_000
    expect(await judge(here, token)).toBe('denied')
  })

  test('a denial by this process takes effect at once', async () => {
    const denyList = create({ maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    expect(await judge(denyList, token)).toBe('ok')
    await denyList.denySession('rf_1')
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('a denial by this process takes effect at once, even during an earlier read of the store', async () => {
    const answered = Promise.withResolvers<void>()
    const slow: DocumentStore = {
      ...documents,
      async get(collection, id) {
        const found = await documents.get(collection, id)
        if (reads.length <= 2) await answered.promise
        return found
      },
    }
    const denyList = create({ documents: slow, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    const before = judge(denyList, token)
    await expect.poll(() => reads.length).toBe(2)
    await denyList.denySession('rf_1')
    answered.resolve()
    await before
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('a denial that may have been stored although its store failed is looked up again', async () => {
    const lost = new Error('the answer was lost')
    const losing: DocumentStore = {
      ...documents,
      async insert(document) {
        await documents.insert(document)
        throw lost
      },
    }
    const denyList = create({ documents: losing, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    expect(await judge(denyList, token)).toBe('ok')
    await expect(denyList.denySession('rf_1')).rejects.toBe(lost)
    expect(await judge(denyList, token)).toBe('denied')
  })

  test('a read that fails rejects, and is repeated for the next token', async () => {
    const down = new Error('no connection')
    let isDown = true
    const get: DocumentStore['get'] = (...given) => (isDown ? Promise.reject(down) : documents.get(...given))
    const denyList = create({ documents: { ...documents, get }, maxStalenessSeconds: 60 })
    const token = await sign('rf_1')
    await expect(verify(denyList, token)).rejects.toBe(down)
    isDown = false
    expect(await judge(denyList, token)).toBe('ok')
  })
})

test('a denial that fails rejects, and the token is not denied', async () => {
  const down = new Error('no connection')
  const fail = () => Promise.reject(down)
  const denyList = create({ documents: { ...documents, insert: fail, get: fail } })
  await expect(verify(denyList, await sign('rf_1'))).rejects.toBe(down)
  await expect(denyList.denySession('rf_1')).rejects.toBe(down)
  await expect(denyList.denyToken({ jti: 'a', exp: seconds })).rejects.toBe(down)
  expect(await storedIn()).toEqual([])
})

describe('a denied id', () => {
  const tokenUntil = (exp: number) => ({ jti: 'a', exp })
  const until = (exp: number) => (exp + 300) * 1000

  test.each([
    [[100, 900], 900],
    [[900, 100], 900],
    [[900, 900], 900],
  ])('at the times %j is denied until the latest', async (times, latest) => {
    for (const after of times) await create().denyToken(tokenUntil(seconds + after))
    expect(await storedIn()).toEqual([[expect.stringMatching(/^jti:/), until(seconds + latest)]])
  })

  test('is denied until the latest time by many simultaneous processes, and no call fails', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_none, place) => create().denyToken(tokenUntil(seconds + ((place * 7) % 20)))),
    )
    expect(await storedIn()).toEqual([[expect.stringMatching(/^jti:/), until(seconds + 19)]])
  })

  test('stays denied for its time, however many others come and go', async () => {
    const denyList = create()
    const token = await sign('rf_1')
    await denyList.denyToken(await claimsOf(denyList, token))
    for (let count = 0; count < 100; count++) await denyList.denyToken({ jti: `past ${count}`, exp: seconds - 900 })
    for (let count = 0; count < 100; count++) await denyList.denySession(`rf ${count}`)
    expect(await judge(create(), token)).toBe('denied')
  })

  test.each(['lists', 'removes'])(
    'stays denied when it is denied again while another process %s expired denials',
    async (step) => {
      await create({ now: () => 0 }).denyToken(tokenUntil(seconds - 900))
      const [first] = await storedIn()
      const denyAgain = () => create({ now: () => 0 }).denyToken(tokenUntil(seconds + 900))
      const list: DocumentStore['list'] = async (...given) => {
        const page = await documents.list(...given)
        if (step === 'lists') await denyAgain()
        return page
      }
      const remove: DocumentStore['remove'] = async (document) => {
        if (step === 'removes') await denyAgain()
        return documents.remove(document)
      }
      await create({ documents: { ...documents, list, remove } }).denySession('rf_1')
      expect(await storedIn()).toContainEqual([first?.[0], until(seconds + 900)])
    },
  )

  test('is stored when its earlier denial is removed in the same moment', async () => {
    await create({ now: () => 0 }).denyToken(tokenUntil(seconds - 900))
    const [[id] = ['']] = await storedIn()
    const insert: DocumentStore['insert'] = async (document) => {
      const isStored = await documents.insert(document)
      if (!isStored) await documents.remove({ collection: 'denials', id })
      return isStored
    }
    await create({ documents: { ...documents, insert } }).denyToken(tokenUntil(seconds + 900))
    expect(await storedIn()).toEqual([[id, until(seconds + 900)]])
  })

  test('is denied although its value cannot be read', async () => {
    const token = await sign('rf_1')
    const denyList = create()
    const [id = ''] = denyList.idsOf(await claimsOf(denyList, token))
    await documents.insert({ collection: 'denials', id, owner: null, version: 'w', value: '{' })
    expect(await judge(create(), token)).toBe('denied')
  })

  test('is written in the version of stored values that all processes know', async () => {
    await create({ storedVersion: () => 1 }).denySession('rf_1')
    const { items } = await documents.list('denials')
    expect(items.map(({ value }) => JSON.parse(value).v)).toEqual([1])
  })
})

describe('denials whose time has come', () => {
  const ids = async () => (await storedIn()).map(([id]) => id)

  test.each(['{', '{"v":1000,"until":0}'])(
    'are removed, and a denial that cannot be read is kept: %s',
    async (value) => {
      const unreadable = { collection: 'denials', id: 'a', owner: null, version: 'w', value }
      await documents.insert(unreadable)
      for (let count = 0; count < 5; count++) await create().denySession(`old ${count}`)
      expect((await documents.list('denials')).items).toHaveLength(6)
      time += 1_000_000_000
      await create().denySession('late')
      const { items } = await documents.list('denials')
      expect(items).toHaveLength(2)
      expect(items).toContainEqual(unreadable)
    },
  )

  test('are removed while others are added, and no others are', async () => {
    const denyList = create({ maxLifetimeSeconds: 600 })
    for (let count = 0; count < 60; count++) await denyList.denySession(`old ${count}`)
    const old = await ids()
    time += 899_999
    for (let count = 0; count < 20; count++) await denyList.denySession(`late ${count}`)
    expect(await ids()).toEqual(expect.arrayContaining([...old]))
    time += 1
    for (let count = 0; count < 40; count++) await denyList.denySession(`new ${count}`)
    expect((await ids()).filter((id) => old.includes(id))).toEqual([])
    expect(await ids()).toHaveLength(60)
  })

  test('are removed eight at a time, so that no denial waits for thousands', async () => {
    const denyList = create({ maxLifetimeSeconds: 600 })
    for (let count = 0; count < 30; count++) await denyList.denySession(`old ${count}`)
    time += 900_000
    await denyList.denySession('new')
    expect(await ids()).toHaveLength(30 + 1 - 8)
  })

  test('make no denial fail when they cannot be listed or removed', async () => {
    await create({ now: () => 0 }).denyToken({ jti: 'a', exp: seconds - 900 })
    const fail = () => Promise.reject(new Error('database disk image is malformed'))
    for (const broken of [{ list: fail }, { remove: fail }]) {
      const denyList = create({ documents: { ...documents, ...broken } })
      const token = await sign(`rf ${Object.keys(broken)}`)
      await denyList.denyToken(await claimsOf(denyList, token))
      expect(await judge(create(), token)).toBe('denied')
    }
  })
})

test('a token without an id cannot be denied by it', async () => {
  await expect(create().denyToken({ exp: seconds })).rejects.toThrow(TypeError)
  await expect(create().denySession('')).rejects.toThrow('"sid"')
  expect(await storedIn()).toEqual([])
})

test.each<[string, object]>([
  ['createDenyList has no option "maxStaleness". Did you mean "maxStalenessSeconds"?', { maxStaleness: 1 }],
  ['"documents" must be a document store', { documents: undefined }],
  ['"documents" must be a document store', { documents: new Set() }],
  ['"maxStalenessSeconds" must be', { maxStalenessSeconds: -1 }],
  ['"maxStalenessSeconds" must be', { maxStalenessSeconds: 0.5 }],
  ['"maxLifetimeSeconds" must be', { maxLifetimeSeconds: 0 }],
])('a deny list is refused: %s', (message, options) => {
  expect(() => create(options)).toThrow(TypeError)
  expect(() => create(options)).toThrow(message)
})
