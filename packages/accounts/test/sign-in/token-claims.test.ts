import { type Account, allowNativeDelivery } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, joinOptions, password, type SignInOptions, type TestOptions } from '../bench.ts'
import { createFactorsBench } from '../factors/factors-bench.ts'

type Claims = NonNullable<SignInOptions['accessTokenClaims']>

const optionsWith = (accessTokenClaims: Claims): TestOptions => ({
  signIn: { accessTokenClaims, nativeDelivery: allowNativeDelivery },
})

/** What plain JavaScript returns, which the types refuse. */
const untyped = (read: () => unknown): Claims => read as Claims

function tokenOf({ credentials }: Pick<SignInSuccess, 'credentials'>): string {
  if (credentials.delivery === 'session') throw new Error('there is no token')
  return credentials.accessToken
}

/** The claims of the token of a sign-in, as any verifier reads them. */
async function claimsOf(accessTokenClaims: Claims, delivery: 'token' | 'native' = 'token') {
  const bench = createBench({ options: optionsWith(accessTokenClaims) })
  await bench.insert()
  return bench.verify(tokenOf(await bench.signIn({ delivery })))
}

const openOf = async ({ sessions }: Bench, id: string) => (await sessions.list(id)).map(({ key }) => key)

/** The message of why there were no claims. */
async function reasonOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error)) throw new Error('it is no error')
  expect(error.message).toBe('the function for claims of access tokens has failed, so no token was issued')
  return error.cause instanceof Error ? error.cause.message : error.cause
}

describe('claims of the application', () => {
  test.each(['token', 'native'] as const)('are the claim ext of an access token: %s', async (delivery) => {
    const claims = await claimsOf(
      ({ id, email, name, roles, status }) => ({ id, email, name, roles, status }),
      delivery,
    )
    expect(claims.ext).toEqual({
      id: claims.sub,
      email: 'reader@example.com',
      name: 'A Reader',
      roles: ['READER'],
      status: 'active',
    })
  })

  test('see an account without its hash and epoch', async () => {
    const seen: Account[] = []
    await claimsOf((account) => {
      seen.push(account)
      return {}
    })
    expect(seen.map((account) => Object.keys(account).sort())).toEqual([['email', 'id', 'name', 'roles', 'status']])
  })

  test.each<[string, Claims]>([
    ['an empty object', () => ({})],
    ['an object of undefined alone', () => ({ plan: undefined })],
  ])('are no claim where the function returns %s', async (_, claims) => {
    expect(await claimsOf(claims)).not.toHaveProperty('ext')
  })

  test('are read again by each refresh, for the current account', async () => {
    const bench = createBench({ options: optionsWith(({ name }) => ({ name })) })
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn({ delivery: 'token' })
    if (credentials.delivery !== 'token') throw new Error('another delivery')
    await bench.store.replace(id, {}, { name: 'Another Name' })
    const next = await bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie' })
    if (!next.ok) throw new Error('refused')
    expect((await bench.verify(next.credentials.accessToken)).ext).toEqual({ name: 'Another Name' })
  })

  test('are in the token of a step-up', async () => {
    const bench = createBench({ options: optionsWith(({ name }) => ({ name })) })
    await bench.insert()
    const { identity } = await bench.signIn({ delivery: 'token' })
    const renewed = await bench.accounts.confirmPassword({ identity, currentPassword: password })
    if (!renewed.ok || renewed.status !== 'signed-in') throw new Error('refused')
    expect((await bench.verify(tokenOf(renewed))).ext).toEqual({ name: 'A Reader' })
  })

  test('belong to the account that an administrator impersonates', async () => {
    const options = { ...optionsWith(({ email }) => ({ email })), impersonation: { mayImpersonate: () => true } }
    const bench = createBench({ options })
    const administrator = await bench.insert({ roles: ['ADMIN'] })
    const { identity } = await bench.signIn({ delivery: 'token' })
    const { id: accountId } = await bench.insert({ email: 'helped@example.com' })
    const started = await bench.accounts.startImpersonation({ identity, accountId, reason: 'Ticket 4711' })
    if (started?.credentials.delivery !== 'bearer') throw new Error('it is a token')
    expect(await bench.verify(started.credentials.accessToken)).toMatchObject({
      sub: accountId,
      act: { sub: administrator.id },
      ext: { email: 'helped@example.com' },
    })
  })

  test('see no role of an account that must enrol', async () => {
    const secondFactor = { required: 'all', graceSeconds: 0 } as const
    const bench = createFactorsBench({
      options: joinOptions(
        optionsWith(({ roles }) => ({ roles })),
        { signIn: { secondFactor } },
      ),
    })
    await bench.insert({ roles: ['ADMIN'] })
    bench.advance(1)
    expect(await bench.verify(tokenOf(await bench.signIn({ delivery: 'token' })))).toMatchObject({
      role: '',
      ext: { roles: [] },
    })
  })
})

describe('a function for claims sets only the claim ext:', () => {
  test('no other claim by its name', async () => {
    const names = [
      'iss',
      'sub',
      'aud',
      'exp',
      'nbf',
      'iat',
      'jti',
      'sid',
      'role',
      'epoch',
      'act',
      'scope',
      'client_id',
      'cnf',
      'ext',
    ]
    const forged = Object.fromEntries(names.map((name) => [name, 'forged']))
    const claims = await claimsOf(() => forged)
    expect(Object.keys(claims).sort()).toEqual([
      'aud',
      'epoch',
      'exp',
      'ext',
      'iat',
      'iss',
      'jti',
      'role',
      'sid',
      'sub',
    ])
    expect(claims).toMatchObject({ iss: 'https://example.com', role: 'READER', epoch: 0, ext: forged })
    expect(claims.exp - claims.iat).toBe(900)
  })

  test('no role by the list that it was given', async () => {
    const bench = createBench({
      options: optionsWith((account) => {
        Object.assign(account, { id: 'acc_other', status: 'locked' })
        return { roles: (account.roles as string[]).push('ADMIN') }
      }),
    })
    const { id } = await bench.insert()
    const { credentials, identity, account } = await bench.signIn({ delivery: 'token' })
    expect(await bench.verify(tokenOf({ credentials }))).toMatchObject({ sub: id, role: 'READER' })
    expect([identity.roles, account.roles, account.status]).toEqual([['READER'], ['READER'], 'active'])
  })

  test('no claim by a member that changes when it is read again', async () => {
    let reads = 0
    const changing = {
      get plan() {
        return reads++ === 0 ? 'basic' : 1n
      },
    }
    expect((await claimsOf(() => changing)).ext).toEqual({ plan: 'basic' })
    expect(reads).toBe(1)
  })
})

const cyclic: Record<string, unknown> = {}
cyclic.self = { cyclic }
const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const throwing = {
  get secret() {
    throw new Error('at 10.0.0.7')
  },
}
const isNoObject = 'they must be an object of JSON, at once'

describe('claims that are not JSON are refused, without a token and without an open session:', () => {
  test.each<[string, () => unknown, unknown]>([
    ['nothing', () => undefined, 'they must be an object'],
    ['null', () => null, 'they must be an object'],
    ['a text', () => 'claims', 'they must be an object'],
    ['a list', () => ['claims'], 'they must be an object'],
    ['what is a text as JSON', () => ({ toJSON: () => '{' }), 'they must be an object'],
    ['a function', () => () => ({}), isNoObject],
    ['a map', () => new Map([['plan', 'basic']]), isNoObject],
    ['an object of a class', () => new (class Plan {})(), isNoObject],
    ['a promise', () => Promise.resolve({ plan: 'basic' }), isNoObject],
    ['a promise that rejects', () => Promise.reject(new Error('late')), isNoObject],
    ['a member that is a promise', () => ({ plan: Promise.reject(new Error('late')) }), '"plan" is not JSON'],
    ['a bigint', () => ({ id: 1n }), '"id" is not JSON'],
    ['no number', () => ({ id: Number.NaN }), '"id" is not JSON'],
    ['an infinite number', () => ({ a: [{ id: Number.POSITIVE_INFINITY }] }), '"id" is not JSON'],
    ['a symbol', () => ({ id: Symbol('a') }), '"id" is not JSON'],
    ['a method', () => ({ id: () => 1 }), '"id" is not JSON'],
    ['a set', () => ({ id: new Set([1]) }), '"id" is not JSON'],
    ['a boxed text', () => ({ id: Object('text') }), '"id" is not JSON'],
    ['a hole in a list', () => ({ ids: [1, undefined] }), '"1" is not JSON'],
    ['half a character', () => ({ id: '\ud800' }), '"id" is not JSON'],
    ['a name of half a character', () => ({ '\ud800': 1 }), '"\ud800" is not JSON'],
    ['a member named __proto__', () => JSON.parse('{"a":{"__proto__":{"role":"ADMIN"}}}'), '"__proto__" is not JSON'],
    ['a circle', () => cyclic, expect.stringContaining('circular')],
    ['too many objects in one another', () => nested(200_000), expect.any(String)],
    ['more than 1024 bytes', () => ({ a: 'ä'.repeat(509) }), 'they must not exceed 1024 bytes of JSON'],
    ['a member that throws', () => throwing, 'at 10.0.0.7'],
  ])('%s', async (_, read, reason) => {
    const bench = createBench({ options: optionsWith(untyped(read)) })
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    expect(await reasonOf(bench.signIn({ delivery: 'token' }))).toEqual(reason)
    expect(await openOf(bench, id)).toEqual([identity.key])
    expect(bench.events.filter(({ type }) => type === 'session.created')).toHaveLength(1)
  })

  test('1024 bytes are a claim', async () => {
    const ext = { a: `a${'ä'.repeat(507)}b` }
    expect(new TextEncoder().encode(JSON.stringify(ext))).toHaveLength(1024)
    expect((await claimsOf(() => ext)).ext).toEqual(ext)
  })
})

describe('a function for claims that throws', () => {
  const failure = new Error('no plan')
  const failing = { isFailing: false }
  const claims: Claims = () => {
    if (failing.isFailing) throw failure
    return { plan: 'basic' }
  }
  const failingBench = (options: TestOptions = {}) => {
    failing.isFailing = false
    return createBench({ options: { ...optionsWith(claims), ...options } })
  }

  test('lets the session be that a sign-in would have replaced', async () => {
    const bench = failingBench()
    const { id } = await bench.insert()
    const { credentials } = await bench.signIn()
    if (credentials.delivery !== 'session') throw new Error('another delivery')
    failing.isFailing = true
    expect(await reasonOf(bench.signIn({ delivery: 'token', replaces: credentials.session }))).toBe('no plan')
    expect(await openOf(bench, id)).toEqual([credentials.session.key])
    failing.isFailing = false
    const { identity } = await bench.signIn({ delivery: 'token', replaces: credentials.session })
    expect(await openOf(bench, id)).toEqual([identity.key])
  })

  test('leaves the next refresh token to a repeated use of the current token', async () => {
    const bench = failingBench()
    await bench.insert()
    const { credentials } = await bench.signIn({ delivery: 'token' })
    if (credentials.delivery !== 'token') throw new Error('another delivery')
    const ask = () => bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie' })
    failing.isFailing = true
    expect(await reasonOf(ask())).toBe('no plan')
    expect(bench.events.at(-1)?.type).toBe('session.created')
    failing.isFailing = false
    const next = await ask()
    if (!next.ok) throw new Error('refused')
    expect((await bench.verify(next.credentials.accessToken)).ext).toEqual({ plan: 'basic' })
  })

  test('revokes the family of a step-up: its current token is invalid, and the next is not delivered', async () => {
    const bench = failingBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn({ delivery: 'token' })
    failing.isFailing = true
    expect(await reasonOf(bench.accounts.confirmPassword({ identity, currentPassword: password }))).toBe('no plan')
    expect(await openOf(bench, id)).toEqual([])
  })

  test('lets no administrator act as the account', async () => {
    const bench = failingBench({ impersonation: { mayImpersonate: () => true } })
    await bench.insert({ roles: ['ADMIN'] })
    const { identity } = await bench.signIn({ delivery: 'token' })
    const { id: accountId } = await bench.insert({ email: 'helped@example.com' })
    failing.isFailing = true
    expect(await reasonOf(bench.accounts.startImpersonation({ identity, accountId, reason: 'Ticket 4711' }))).toBe(
      'no plan',
    )
    expect(await openOf(bench, accountId)).toEqual([])
  })

  test('a function for claims is not called for a cookie session', async () => {
    const bench = failingBench()
    await bench.insert()
    failing.isFailing = true
    expect((await bench.signIn()).credentials.delivery).toBe('session')
  })
})

test.each([null, {}, 'claims'])('"signIn.accessTokenClaims" as %j is refused by name', (accessTokenClaims) => {
  const options = { signIn: { accessTokenClaims } } as unknown as TestOptions
  expect(() => createBench({ options })).toThrow(new TypeError('"signIn.accessTokenClaims" must be a function'))
})
