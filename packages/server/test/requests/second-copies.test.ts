import { AccountsError, isAccountsError } from '@latchkey/accounts'
import { AccessError, isAccessError } from '@latchkey/graphql'
import { HttpError, isHttpError } from '@latchkey/http'
import { isJwtError, JwtError } from '@latchkey/jwt'
import { isPasswordError, PasswordError, type PasswordErrorCode } from '@latchkey/password'
import { isRbacError, RbacError } from '@latchkey/rbac'
import { isStoreError, StoreError } from '@latchkey/store'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createBench, password, passwords } from '../support/bench.ts'

// Two versions of a package in one installation are two copies of its classes: `instanceof` knows its own only.
vi.resetModules()
const copies = {
  accounts: await import('@latchkey/accounts'),
  graphql: await import('@latchkey/graphql'),
  http: await import('@latchkey/http'),
  jwt: await import('@latchkey/jwt'),
  password: await import('@latchkey/password'),
  rbac: await import('@latchkey/rbac'),
  store: await import('@latchkey/store'),
}
const refusalOf = {
  StoreError: () => new copies.store.StoreError('STORE_UNAVAILABLE', '10.0.0.7 refused'),
  PasswordError: (code: PasswordErrorCode = 'PASSWORD_HASHER_UNAVAILABLE') =>
    new copies.password.PasswordError(code, 'no', 7),
  AccessError: () => new copies.graphql.AccessError('NOT_FOUND'),
  HttpError: () => new copies.http.HttpError('HTTP_BODY_TOO_LARGE', 'no'),
  JwtError: () => new copies.jwt.JwtError('JWT_KEYS_UNAVAILABLE', 'no'),
  RbacError: () => new copies.rbac.RbacError('RBAC_ROLES_UNAVAILABLE', 'no'),
  AccountsError: () => new copies.accounts.AccountsError('EMAIL_INVALID', 'no'),
}

const guards = [
  ['StoreError', StoreError, isStoreError],
  ['PasswordError', PasswordError, isPasswordError],
  ['AccessError', AccessError, isAccessError],
  ['HttpError', HttpError, isHttpError],
  ['JwtError', JwtError, isJwtError],
  ['RbacError', RbacError, isRbacError],
  ['AccountsError', AccountsError, isAccountsError],
] as const

test.each(guards)('the %s of a second copy is known by its code, and no other error is', (name, ownClass, isOne) => {
  const foreign = refusalOf[name]()
  expect(foreign).not.toBeInstanceOf(ownClass)
  expect(isOne(foreign)).toBe(true)
  const others = Object.entries(refusalOf).filter(([other]) => other !== name)
  const strange = [new Error('no'), { ...foreign, name, code: foreign.code }, null, undefined, foreign.code]
  const unknown = Object.assign(new Error('no'), { name, code: 'ENOENT' })
  for (const other of [...others.map(([, make]) => make()), ...strange, unknown]) expect(isOne(other)).toBe(false)
})

test('a newer copy of the store package may have codes that this copy does not know', () => {
  expect(isStoreError(Object.assign(new Error('no'), { code: 'STORE_DATA_NEWER' }))).toBe(true)
})

describe('errors of a second copy', () => {
  let thrown: Error | null = null
  const throwIt = <T>(otherwise: T): T => {
    if (thrown) throw thrown
    return otherwise
  }
  const bench = createBench({
    around: async (_call, run) => (thrown && isStoreError(thrown) ? throwIt(null) : run()),
    options: {
      resolvers: {
        Query: { hello: () => throwIt('Hello'), secretPlan: () => '' },
        Mutation: { writeNote: () => '' },
      },
      signIn: { passwordHasher: { ...passwords, hash: async (given) => throwIt(passwords.hash(given)) } },
    },
  })
  beforeEach(() => {
    thrown = null
  })

  async function resetToken(): Promise<string> {
    const { email } = await bench.insert()
    await bench.visitor().ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`)
    return bench.mailedToken(email)
  }

  test('the error of a store is 503 at any point, and the session stays valid', async () => {
    const visitor = await bench.signedIn()
    const token = await resetToken()
    thrown = refusalOf.StoreError()
    const answers = [
      await visitor.ask('{ viewer { id } }'),
      await visitor.post('/reset', { token, password }),
      await visitor.get(`/reset?token=${token}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    for (const { headers, text } of answers) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(text).not.toContain('10.0.0.7')
    }
    thrown = null
    expect((await visitor.ask('{ viewer { id } }')).status).toBe(200)
  })

  test('the error of a store in a resolver, also as a cause, is 503', async () => {
    for (const error of [refusalOf.StoreError(), new Error('wrapped', { cause: refusalOf.StoreError() })]) {
      thrown = error
      const { status, codes } = await bench.visitor().ask('{ hello }')
      expect([status, codes]).toEqual([503, ['SERVICE_UNAVAILABLE']])
    }
  })

  test('the refusal of a resolver keeps its code', async () => {
    thrown = refusalOf.AccessError()
    expect((await bench.visitor().ask('{ hello }')).codes).toEqual(['NOT_FOUND'])
  })

  test('the overload of a hasher is 503 with its Retry-After, on pages too', async () => {
    const token = await resetToken()
    const input = { email: 'new@example.com', password, name: 'New' }
    thrown = refusalOf.PasswordError()
    const asked = await bench.visitor().ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', {
      input,
    })
    const posted = await bench.visitor().post('/reset', { token, password })
    for (const { status, headers } of [asked, posted]) expect([status, headers.get('retry-after')]).toEqual([503, '7'])
  })

  test('a password that a hasher refuses is the input of the user', async () => {
    thrown = refusalOf.PasswordError('PASSWORD_TOO_LONG')
    const input = { email: 'new@example.com', password, name: 'New' }
    const { status, errors } = await bench
      .visitor()
      .ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input })
    expect([status, errors[0]?.extensions]).toEqual([200, { code: 'BAD_USER_INPUT', field: 'input.password' }])
  })

  test('a body that its request refuses to read is refused by its own status', async () => {
    const { status } = await bench.server.handle({
      method: 'POST',
      target: '/graphql',
      authority: null,
      headers: new Map([
        ['host', 'example.com'],
        ['content-type', 'application/json'],
      ]),
      cookies: new Map(),
      peerAddress: null,
      signal: new AbortController().signal,
      body: () => Promise.reject(refusalOf.HttpError()),
    })
    expect(status).toBe(413)
  })
})
