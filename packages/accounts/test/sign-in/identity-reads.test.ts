import type { AccountChange, IdentityReads } from '@latchkey/accounts'
import type { SessionCredentials, TokenCredentials } from '@latchkey/accounts/internal'
import { createJwtSigner, createJwtVerifier, createKeyRing, generateJwtKey, type JwtClaims } from '@latchkey/jwt'
import { describe, expect, test, vi } from 'vitest'
import { type Bench, type BenchOptions, createBench, email } from '../bench.ts'

const keys = createKeyRing({ keys: [await generateJwtKey('HS256')] })

/** A session and a family of one account, and what identifies them. */
async function open(bench: Bench) {
  const { id } = await bench.insert()
  const session = await bench.signIn()
  const family = await bench.signIn({ delivery: 'token' })
  const { credential } = session.credentials as SessionCredentials
  const claims = await bench.verify((family.credentials as TokenCredentials).accessToken)
  const identify = async () => [
    (await bench.accounts.identifyCredential(credential))?.facts ?? null,
    await bench.accounts.identifyToken(claims),
  ]
  return { id, sessionKey: session.identity.key, familyKey: family.identity.key, credential, claims, identify }
}

/** A reader whose calls are seen, of these stores in the place of its own. */
function seenReader(others: Partial<IdentityReads> = {}) {
  const readIdentity = vi.fn<IdentityReads['read']>()
  const aroundIdentities = (reader: IdentityReads): IdentityReads => {
    readIdentity.mockImplementation(reader.read)
    return { ...reader, ...others, read: readIdentity }
  }
  return { aroundIdentities, readIdentity }
}

type Opened = Awaited<ReturnType<typeof open>>

const change =
  (next: AccountChange) =>
  ({ store }: Bench, { id }: Opened) =>
    store.replace(id, {}, next)

/** What happens after both were opened, and which of them is valid then: the session, the token. */
const verdicts: readonly [
  what: string,
  valid: readonly [boolean, boolean],
  happens: (bench: Bench, opened: Opened) => unknown,
][] = [
  ['nothing', [true, true], () => {}],
  ['other roles in the same epoch', [true, true], change({ roles: ['EDITOR'] })],
  ['a disabled account', [false, false], change({ status: 'disabled' })],
  ['a locked account', [false, false], change({ status: 'locked' })],
  ['an unverified account', [false, false], change({ status: 'unverified' })],
  ['a raised epoch', [false, false], change({ epoch: 1 })],
  ['an epoch raised twice', [false, false], change({ epoch: 2 })],
  [
    'a raise that keeps the session',
    [true, false],
    (bench, opened) => change({ epoch: 1, keptKey: opened.sessionKey })(bench, opened),
  ],
  [
    'a raise that keeps the family',
    [false, true],
    (bench, opened) => change({ epoch: 1, keptKey: opened.familyKey })(bench, opened),
  ],
  [
    'two raises of which the last keeps the family, not carried in between',
    [false, false],
    (bench, opened) => change({ epoch: 2, keptKey: opened.familyKey })(bench, opened),
  ],
  ['a removed account', [false, false], ({ store }, { id }) => store.remove(id)],
  ['a revoked session', [false, true], ({ sessions }, { id, sessionKey }) => sessions.revoke(id, sessionKey)],
  ['a revoked family', [true, false], ({ sessions }, { id, familyKey }) => sessions.revoke(id, familyKey)],
  ['all of them revoked', [false, false], ({ sessions }, { id }) => sessions.revokeAll(id)],
  ['a denied token', [true, false], ({ denyList }, { claims }) => denyList.denyToken(claims)],
  [
    'a denied session of the token',
    [true, false],
    ({ denyList }, { claims }) => denyList.denySession(claims.sid ?? ''),
  ],
  ['a denied session by its cookie', [true, true], ({ denyList }, { sessionKey }) => denyList.denySession(sessionKey)],
  ['the last millisecond of the idle limit', [true, true], ({ advance }) => advance(3599.999)],
  ['the idle limit of the session', [false, true], ({ advance }) => advance(3600)],
  ['the end of the family', [false, false], ({ advance }) => advance(7_776_000)],
  [
    'a record of another kind under the key',
    [false, false],
    async ({ records, now }, { id, sessionKey, familyKey }) => {
      for (const key of [sessionKey, familyKey]) {
        await records.remove(key)
        await records.insert({ key, owner: null, expiresAt: now() + 1000, value: '{}' })
      }
      await records.remove(id)
    },
  ],
]

const ways: readonly [name: string, options: BenchOptions][] = [
  ['each by itself', {}],
  // Which do not say that they are in memory.
  ['from stores elsewhere', { aroundRecords: (_method, run) => run(), aroundAccounts: (_method, run) => run() }],
  ['at one moment', { readsTogether: true }],
]

describe.each(ways)('a record and its account, read %s', (_way, options) => {
  test.each(verdicts)('after %s a session and a token are valid: %j', async (_what, valid, happens) => {
    const bench = createBench(options)
    const opened = await open(bench)
    await happens(bench, opened)
    expect((await opened.identify()).map((facts) => facts !== null)).toEqual(valid)
  })

  test('return the current facts of the account', async () => {
    const bench = createBench(options)
    const opened = await open(bench)
    await bench.store.replace(
      opened.id,
      {},
      { roles: ['EDITOR'], enrolled: ['totp'], epoch: 1, keptKey: opened.sessionKey },
    )
    const [facts] = await opened.identify()
    const session = await bench.sessions.read(opened.credential)
    expect(facts).toEqual(await bench.accounts.identifySession(session))
    expect(facts).toMatchObject({ subject: opened.id, roles: ['EDITOR'], enrolledFactors: ['totp'], epoch: 1 })
  })

  test('identify no session for a token of another session, or for the right key with another secret', async () => {
    const bench = createBench(options)
    const opened = await open(bench)
    const other = await bench.insert({ email: `other-${email}` })
    expect(await bench.accounts.identifyToken(await signed(bench, { ...opened.claims, sub: other.id }))).toBeNull()
    expect(
      await bench.accounts.identifyToken(await signed(bench, { ...opened.claims, sid: opened.sessionKey })),
    ).toBeNull()
    const secret = opened.credential.split('.')[1] ?? ''
    for (const credential of [
      `${opened.sessionKey}.${'A'.repeat(secret.length)}`,
      `${opened.familyKey}.${secret}`,
      'nonsense',
      null,
    ]) {
      expect(await bench.accounts.identifyCredential(credential)).toBeNull()
    }
    expect(await opened.identify()).not.toContain(null)
  })

  test('refuse a denied token of a machine', async () => {
    const bench = createBench(options)
    const claims = await signed(bench, { sub: 'machine', client_id: 'machine' })
    expect(await bench.accounts.identifyToken(claims)).toMatchObject({ kind: 'client' })
    await bench.denyList.denyToken(claims)
    expect(await bench.accounts.identifyToken(claims)).toBeNull()
  })

  test('need no deny list: then no token is denied', async () => {
    const bench = createBench({ ...options, options: { denyList: undefined as never } })
    const { identify } = await open(bench)
    expect(await identify()).not.toContain(null)
    const claims = await signed(bench, { sub: 'machine', client_id: 'machine' })
    expect(await bench.accounts.identifyToken(claims)).toMatchObject({ kind: 'client' })
  })

  test('count as a use of the session unless isUse is false', async () => {
    const bench = createBench(options)
    const { credential, sessionKey } = await open(bench)
    bench.advance(600)
    const expiresAt = async () => (await bench.records.get(sessionKey))?.expiresAt ?? 0
    const before = await expiresAt()
    await bench.accounts.identifyCredential(credential, { isUse: false })
    await bench.sessions.settled()
    expect(await expiresAt()).toBe(before)
    const waitUntil = vi.fn()
    await bench.accounts.identifyCredential(credential, { waitUntil })
    await bench.sessions.settled()
    expect(await expiresAt()).toBe(before + 600_000)
    expect(waitUntil).toHaveBeenCalledOnce()
  })

  test.each(['get', 'accounts'])('reject when the stores fail: %s', async (failing) => {
    let isDown = false
    const fail = async <T>(method: string, run: () => T | Promise<T>): Promise<T> => {
      if (isDown && method === 'get') throw new Error('the store is down')
      return run()
    }
    const bench = createBench({ ...options, [failing === 'get' ? 'aroundRecords' : 'aroundAccounts']: fail })
    const { claims, credential } = await open(bench)
    isDown = true
    await expect(bench.accounts.identifyToken(claims)).rejects.toThrow('the store is down')
    await expect(bench.accounts.identifyCredential(credential)).rejects.toThrow('the store is down')
  })
})

test('an identity needs one read without the password if the stores share a database', async () => {
  const reads = vi.fn()
  const count = async <T>(method: string, run: () => T | Promise<T>): Promise<T> => {
    reads(method)
    return run()
  }
  const { aroundIdentities, readIdentity } = seenReader()
  const bench = createBench({ readsTogether: true, aroundRecords: count, aroundAccounts: count, aroundIdentities })
  const { identify, sessionKey, familyKey, claims } = await open(bench)
  reads.mockClear()
  await identify()
  expect(readIdentity.mock.calls).toEqual([[sessionKey], [familyKey, bench.denyList.idsOf(claims)]])
  // The store of the test reads both within one call of its own: for the session and for the token.
  expect(reads.mock.calls.flat()).toEqual(['get', 'get', 'get', 'get'])
})

test('a reader of other records is not used', async () => {
  const { aroundIdentities, readIdentity } = seenReader({ records: createBench().records })
  const bench = createBench({ readsTogether: true, aroundIdentities })
  const { identify } = await open(bench)
  expect(await identify()).not.toContain(null)
  expect(readIdentity).not.toHaveBeenCalled()
})

const unknown = () => Promise.reject(new Error('the store does not answer'))

test.each([
  ['are in memory: then there is no one to ask for', () => true, () => true, 0],
  ['are elsewhere: then both are asked for at once', () => false, () => false, 1],
  ['are elsewhere, the accounts alone', () => true, () => false, 1],
  ['are elsewhere, the records alone', () => false, () => true, 1],
  ['may be elsewhere, because they do not say it', undefined, undefined, 1],
  ['may be elsewhere, because asking fails', unknown, unknown, 1],
])('a token of a revoked family reads its account if stores %s', async (_where, records, accounts, asked) => {
  const bench = createBench()
  const { id, familyKey, claims } = await open(bench)
  const get = vi.fn(bench.store.get)
  const { sessions, refreshTokens } = bench
  const stores = {
    records: { ...bench.records, isInMemory: records },
    accounts: { ...bench.store, get, isInMemory: accounts },
  }
  const other = createBench({ options: { ...stores, sessions, refreshTokens } as never })
  expect(await other.accounts.identifyToken(claims)).toMatchObject({ subject: id })
  expect(get).toHaveBeenCalledTimes(1)
  await sessions.revoke(id, familyKey)
  get.mockClear()
  expect(await other.accounts.identifyToken(claims)).toBeNull()
  expect(get).toHaveBeenCalledTimes(asked)
})

test('a record that was revoked since it was read identifies no session', async () => {
  const { aroundIdentities, readIdentity } = seenReader()
  const bench = createBench({ readsTogether: true, aroundIdentities })
  const { identify } = await open(bench)
  expect(await identify()).not.toContain(null)
  const [session, family] = await Promise.all(readIdentity.mock.results.map(({ value }) => value))
  bench.advance(7_776_000)
  readIdentity.mockResolvedValueOnce(session).mockResolvedValueOnce(family)
  expect(await identify()).toEqual([null, null])
})

test('a deny list in another database is read in parallel', async () => {
  const bench = createBench()
  const { aroundIdentities, readIdentity } = seenReader()
  const other = createBench({ readsTogether: true, aroundIdentities, options: { denyList: bench.denyList } })
  const { claims, identify } = await open(other)
  expect(await identify()).not.toContain(null)
  await bench.denyList.denyToken(claims)
  expect((await identify()).map((facts) => facts !== null)).toEqual([true, false])
  expect(readIdentity.mock.calls.flatMap(([, ids = []]) => ids)).toEqual([])
})

type Signed = Pick<JwtClaims, 'sub' | 'sid' | 'epoch'> & { readonly client_id?: unknown }

/** The claims of a token with these claims. */
async function signed({ now }: Bench, { sub, sid, epoch, client_id }: Signed) {
  const options = { issuer: 'https://example.com', audience: 'https://example.com', keys, now }
  const { token } = await createJwtSigner(options).sign({
    sub,
    ...(sid !== undefined && { sid }),
    ...(epoch !== undefined && { epoch }),
    client_id,
  })
  const verdict = await createJwtVerifier({ ...options, algorithms: ['HS256'] }).verify(token)
  if (!verdict.ok) throw new Error(verdict.reason)
  return verdict.claims
}
