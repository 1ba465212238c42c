import { type SignInResult, unknownAttempt } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { type BenchOptions, createBench, linksIn, password } from '../support/bench.ts'
import { createFactorBench, okData, withTotp } from '../support/factor-bench.ts'
import { outcomeOf } from '../support/visitor.ts'

const issuer = 'https://id.example.com'
const list = '{ linkedProviders { id issuer createdAt } }'
const unlink = 'mutation ($id: ID!) { unlinkProvider(id: $id) }'

function createLinkBench(options: BenchOptions['options'] = {}) {
  const bench = createBench({ options: { ...options, signIn: { providers: {}, ...options.signIn } } })
  return { ...bench, links: linksIn(bench.stores.documents) }
}

/** Who is signed in to an account of their own, which is linked to a provider. */
async function createLinked() {
  const bench = createLinkBench()
  const visitor = await bench.signedIn()
  const { id, email } = visitor.account
  await bench.links.insert({ issuer, subject: '42', accountId: id, createdAt: bench.clock.time })
  const [linked] = okData(await visitor.ask(list)).linkedProviders
  return { bench, visitor, id, email, linked }
}

describe('links to providers', () => {
  test('are shown to their owner, without the subject', async () => {
    const { bench, linked } = await createLinked()
    const createdAt = new Date(bench.clock.time).toISOString()
    expect(linked).toEqual({ id: expect.stringMatching(/^[\w-]{43}$/), issuer, createdAt })
    expect(outcomeOf(await bench.visitor().ask(list))).toEqual([401, 'UNAUTHENTICATED'])
    const other = await bench.signedIn()
    expect(okData(await other.ask(list)).linkedProviders).toEqual([])
  })

  test('are removed by their owner: all other sessions are revoked, and the session gets a new credential', async () => {
    const { bench, visitor, id, email, linked } = await createLinked()
    const elsewhere = bench.visitor()
    okData(await elsewhere.signIn(email, password))
    const before = visitor.jar.get('__Host-session')
    expect(okData(await visitor.ask(unlink, { id: linked.id })).unlinkProvider).toBe(true)
    expect(visitor.jar.get('__Host-session')).not.toBe(before)
    expect(okData(await visitor.ask(list)).linkedProviders).toEqual([])
    expect(outcomeOf(await elsewhere.ask(list))).toEqual([401, 'UNAUTHENTICATED'])
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(bench.events.map(({ type }) => type)).toContain('provider.unlinked')
  })

  test('are not found for another account, and stay', async () => {
    const { bench, linked, id } = await createLinked()
    const other = await bench.signedIn()
    const before = other.jar.get('__Host-session')
    expect(okData(await other.ask(unlink, { id: linked.id })).unlinkProvider).toBe(false)
    expect(other.jar.get('__Host-session')).toBe(before)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })

  test('stay without a fresh proof', async () => {
    const { bench, visitor, id, linked } = await createLinked()
    bench.advance(301)
    expect(outcomeOf(await visitor.ask(unlink, { id: linked.id }))).toEqual([401, 'STEP_UP_REQUIRED'])
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })

  test('stay if they are the last way to sign in', async () => {
    const { bench, visitor, id, linked } = await createLinked()
    await bench.stores.accounts.replace(id, {}, { passwordHash: null })
    const answer = await visitor.ask(unlink, { id: linked.id })
    expect(outcomeOf(answer)).toEqual([200, 'BAD_USER_INPUT'])
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
    expect(okData(await visitor.ask(list)).linkedProviders).toHaveLength(1)
  })
})

describe('a service with providers', () => {
  test('signs in by the verdict on a callback, as its option allows', async () => {
    const bench = createLinkBench({ signIn: { providers: { newAccounts: 'verified-email' } } })
    const accounts = await bench.server.accounts()
    const verdict = {
      issuer,
      subject: '42',
      email: 'ada@example.com',
      emailVerified: true,
      amr: [],
      sid: null,
      authenticatedAt: bench.clock.time,
      binding: null,
    }
    const signedIn = await accounts.signInWithProvider({ ...verdict, delivery: 'session', attempt: unknownAttempt })
    const visitor = bench.visitor()
    for (const line of bench.server.cookiesOf(signedIn)) {
      const [pair = ''] = line.split('; ')
      visitor.jar.set(...(pair.split(/=(.*)/s) as [string, string]))
    }
    expect([...visitor.jar.keys()]).toEqual(['__Host-session', '__Host-device'])
    expect(okData(await visitor.ask(list)).linkedProviders).toMatchObject([{ issuer }])
  })

  test('has a cookie for each delivery, and for the challenge of a second factor', async () => {
    const bench = createFactorBench({ options: { signIn: { providers: {} } } })
    const names = (result: SignInResult) => bench.server.cookiesOf(result).map((line) => line.split('=', 1)[0])
    const accounts = await bench.server.accounts()
    const person = await withTotp(bench)
    const { email } = await bench.insert()
    const as = (delivery: 'session' | 'token' | 'native', who = email) =>
      accounts.signIn({ email: who, password, delivery, attempt: unknownAttempt })
    expect(names(await as('session'))).toEqual(['__Host-session', '__Host-device'])
    expect(names(await as('token'))).toEqual(['__Host-refresh', '__Host-device'])
    expect(names(await as('native'))).toEqual([])
    expect(names(await as('session', person.account.email))).toEqual(['__Host-challenge'])
    expect(names({ ok: false, reason: 'invalid-credentials' })).toEqual([])
  })

  test('does not start with an option that cannot be used', () => {
    const unknown = { signIn: { providers: { newAccounts: 'all' } } } as never
    expect(() => createLinkBench(unknown)).toThrow('"signIn.providers.newAccounts" must be')
  })
})

test('without the option the schema has no links', async () => {
  const visitor = await createBench().signedIn()
  expect(outcomeOf(await visitor.ask(list))[1]).toBe('GRAPHQL_VALIDATION_FAILED')
  expect(outcomeOf(await visitor.ask(unlink, { id: 'x' }))[1]).toBe('GRAPHQL_VALIDATION_FAILED')
})
