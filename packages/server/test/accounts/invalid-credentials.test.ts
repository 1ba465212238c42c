import { allowNativeDelivery, allowUnlimitedAttempts, type StoredAccount } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { createBench, password, passwords } from '../support/bench.ts'
import { type Answer, outcomeOf, signInMutation } from '../support/visitor.ts'

const bench = createBench({
  options: { sessions: { nativeDelivery: allowNativeDelivery }, signIn: { attemptLimits: allowUnlimitedAttempts } },
})

/** Everything that leaves the service, with the id of the request as letters of the same number. */
function bytesOf({ status, headers, text }: Answer): string {
  const shown = [...headers].map(([name, value]) => [name, name === 'x-request-id' ? value.replace(/./g, 'x') : value])
  return JSON.stringify([status, shown, text])
}

const reader = await bench.insert()
const accountOf = async (change: Partial<StoredAccount>) => (await bench.insert(change)).email
const cases = {
  'a wrong password': { email: reader.email, password: 'otters sing loudly at noon' },
  'an empty password': { email: reader.email, password: '' },
  'a password in other case': { email: reader.email, password: password.toUpperCase() },
  'a password that cannot be one': { email: reader.email, password: '\0' },
  'an unknown address': { email: 'nobody@example.com', password },
  'a text that is not an address': { email: 'nobody', password },
  'no password set': { email: await accountOf({ passwordHash: null }), password },
  'an account that was never verified': { email: await accountOf({ status: 'unverified' }), password },
  'a disabled account': { email: await accountOf({ status: 'disabled' }), password },
  'a hash that nothing can read': { email: await accountOf({ passwordHash: '$unknown$x' }), password },
}

describe.each(['SESSION', 'TOKEN', 'NATIVE'] as const)('a refused sign-in with delivery %s', (delivery) => {
  test.each(Object.entries(cases))('is answered with the same bytes: %s', async (_what, input) => {
    const expected = await bench.visitor().ask(signInMutation, { input: { ...cases['an unknown address'], delivery } })
    const answer = await bench.visitor().ask(signInMutation, { input: { ...input, delivery } })
    expect(outcomeOf(answer)).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(answer.text).not.toContain('"data"')
    expect(answer.cookies).toEqual([])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
    expect(bytesOf(answer)).toBe(bytesOf(expected))
  })
})

test.each(Object.entries(cases))('it takes one hash: %s', async (_what, input) => {
  const before = passwords.stats.evaluations
  await bench.visitor().ask(signInMutation, { input: { ...input, delivery: 'SESSION' } })
  expect(passwords.stats.evaluations - before).toBe(1)
})

test('a refused sign-in leaves the session as it was', async () => {
  const visitor = await bench.signedIn()
  expect((await visitor.ask(signInMutation, { input: cases['a wrong password'] })).status).toBe(401)
  expect((await visitor.ask('{ viewer { id } }')).data.viewer.id).toBe(visitor.account.id)
})

test('an operation may contain a single sign-in field, so that a request is a single attempt', async () => {
  const attempt = (alias: string) =>
    `${alias}: signIn(input: { email: "${reader.email}", password: "${alias}" }) { status }`
  const answer = await bench.visitor().ask(`mutation { ${['a', 'b', 'c'].map(attempt).join(' ')} }`)
  expect(outcomeOf(answer)).toEqual([400, 'QUERY_LIMIT_EXCEEDED'])
})

test('mutations that test a secret are refused over GET', async () => {
  const query = `mutation { signIn(input: { email: "${reader.email}", password: "${password}" }) { status } }`
  const answer = await bench.visitor().get(`/graphql?query=${encodeURIComponent(query)}`)
  expect([...outcomeOf(answer), answer.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
})
