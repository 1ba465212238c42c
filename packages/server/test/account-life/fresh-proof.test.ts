import { allowNativeDelivery } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, password } from '../support/bench.ts'
import { createFactorBench, keep, okData, operations, signInWithBoth, withTotp } from '../support/factor-bench.ts'
import { openGrant } from '../support/grants.ts'
import { allowed, asked, deliveries, outcomeOf, ownPage } from '../support/visitor.ts'
import { life } from './operations.ts'

const options = {
  sessions: { nativeDelivery: allowNativeDelivery },
  accounts: { deletion: { onDelete: () => {} } },
} as const

/** What needs a fresh proof, with the variables for another account. */
const protectedOperations: readonly (readonly [keyof typeof life, (id: string) => object])[] = [
  ['requestEmailChange', () => ({ input: { newEmail: 'new@example.org' } })],
  ['exportAccount', () => ({})],
  ['lockAccount', (id) => ({ id })],
  ['unlockAccount', (id) => ({ id })],
  ['endSessions', (id) => ({ id })],
  ['deleteAccount', () => ({ input: { confirm: true } })],
]

const stateOf = async ({ stores }: Bench, ids: readonly string[]) =>
  Promise.all(ids.map((id) => stores.accounts.get(id)))

describe.each(protectedOperations)('%s', (operation, variablesFor) => {
  test.each(deliveries)(
    'requires the password 300 s after its last proof if the account has no factor, by %s',
    async (by) => {
      const bench = createBench({ options })
      const admin = await bench.signedIn('ADMIN', by)
      const other = await bench.insert({ roles: ['ADMIN'] })
      bench.advance(301)
      const before = await stateOf(bench, [admin.account.id, other.id])
      const refused = await admin.ask(life[operation], variablesFor(other.id))
      expect(outcomeOf(refused)).toEqual(asked)
      expect(refused.errors[0]?.extensions.factors).toEqual(['password'])
      expect(await stateOf(bench, [admin.account.id, other.id])).toEqual(before)
      const confirm =
        'mutation ($p: String!) { confirmPassword(input: { currentPassword: $p }) { accessToken refreshToken csrfToken } }'
      keep(admin, okData(await admin.ask(confirm, { p: password })).confirmPassword)
      expect(outcomeOf(await admin.ask(life[operation], variablesFor(other.id)))).toEqual(allowed)
    },
  )

  test('requires the second factor if the account has one, and refuses password and recovery code', async () => {
    const bench = createFactorBench({ options })
    const admin = await withTotp(bench, 'ADMIN')
    const other = await bench.insert({ roles: ['ADMIN'] })
    okData(await signInWithBoth(admin, 'SESSION'))
    bench.advance(301)
    const variables = variablesFor(other.id)
    const challengeOf = async () => {
      const refused = await admin.ask(life[operation], variables)
      expect(outcomeOf(refused)).toEqual(asked)
      expect(refused.errors[0]?.extensions.factors).toEqual(['totp'])
      return refused.errors[0]?.extensions.challenge
    }
    const [recoveryCode = ''] = admin.codes
    const spent = await admin.ask(operations.verify, { input: { challenge: await challengeOf(), code: recoveryCode } })
    expect(outcomeOf(spent)).toEqual([403, 'INVALID_CREDENTIALS'])
    const confirm = 'mutation ($p: String!) { confirmPassword(input: { currentPassword: $p }) { csrfToken } }'
    keep(admin, okData(await admin.ask(confirm, { p: password })).confirmPassword)
    const challenge = await challengeOf()
    const answer = await admin.ask(operations.verify, { input: { challenge, code: admin.code() } })
    keep(admin, okData(answer).verifySecondFactor)
    expect(outcomeOf(await admin.ask(life[operation], variables))).toEqual(allowed)
  })

  test("refuses a client's token and a forged request", async () => {
    const bench = createBench({ options })
    const admin = await bench.signedIn('ADMIN')
    const other = await bench.insert({ roles: ['ADMIN'] })
    const before = await stateOf(bench, [admin.account.id, other.id])
    const { accessToken } = await openGrant(bench, admin.account, { clientId: 'demo-spa', scopes: ['openid'] })
    const client = Object.assign(bench.visitor(), { bearer: accessToken })
    expect(outcomeOf(await client.ask(life[operation], variablesFor(other.id)))).toEqual([403, 'FORBIDDEN'])
    for (const headers of [
      { ...ownPage, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'x-csrf-token': 'none' },
    ]) {
      const forged = await admin.ask(life[operation], variablesFor(other.id), headers)
      expect(outcomeOf(forged)).toEqual([403, 'CSRF_REJECTED'])
    }
    expect(await stateOf(bench, [admin.account.id, other.id])).toEqual(before)
  })
})

test('after a sign-in by a recovery code neither the address is changed nor the account exported or deleted', async () => {
  const bench = createFactorBench({ options })
  const person = await withTotp(bench)
  okData(await signInWithBoth(person, 'SESSION', person.codes[0]))
  for (const [operation, variablesFor] of protectedOperations) {
    if (/Account$|Sessions$/.test(operation) && !/^(?:export|delete)/.test(operation)) continue
    expect([operation, ...outcomeOf(await person.ask(life[operation], variablesFor('')))]).toEqual([
      operation,
      ...asked,
    ])
  }
})
