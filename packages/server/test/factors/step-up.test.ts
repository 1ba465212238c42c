import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import {
  challengeOf,
  createFactorBench,
  keep,
  okData,
  operations,
  type Person,
  showPasskey,
  signInWithBoth,
  withPasskey,
  withTotp,
} from '../support/factor-bench.ts'
import { openGrant } from '../support/grants.ts'
import { type Answer, allowed, asked, type Delivery, deliveries, outcomeOf, ownPage } from '../support/visitor.ts'

type Bench = ReturnType<typeof createFactorBench>

async function openAdmin(bench: Bench, delivery: Delivery): Promise<{ admin: Person; setRole: () => Promise<Answer> }> {
  const admin = await withTotp(bench, 'ADMIN')
  okData(await signInWithBoth(admin, delivery))
  const { id: accountId } = await bench.insert()
  let turn = 0
  const setRole = () => admin.ask(operations.setRole, { input: { accountId, role: turn++ % 2 ? 'READER' : 'AUTHOR' } })
  return { admin, setRole }
}

async function stepUp(person: Person, challenge: unknown, code = person.code(), headers = {}): Promise<Answer> {
  const answer = await person.ask(operations.verify, { input: { challenge, code } }, headers)
  if (answer.data) keep(person, answer.data.verifySecondFactor)
  return answer
}

const challengeIn = ({ errors }: Answer): unknown => errors[0]?.extensions.challenge

describe.each(deliveries)('setRole requires a second factor of an administrator, by %s,', (delivery) => {
  test('refuses password, recovery code and wrong code with 403, spends no code, and keeps the session', async () => {
    const bench = createFactorBench()
    const { admin, setRole } = await openAdmin(bench, delivery)
    bench.advance(301)
    const challenge = challengeIn(await setRole())
    const [recoveryCode = ''] = admin.codes
    const refusals = [await stepUp(admin, challenge, '000 00'), await stepUp(admin, challenge, recoveryCode)]
    for (const refused of refusals) {
      expect([...outcomeOf(refused), refused.cookies]).toEqual([403, 'INVALID_CREDENTIALS', []])
      expect(refused.headers.get('www-authenticate')).toBeNull()
    }
    const unknown = await stepUp(admin, 'nonsense')
    expect(outcomeOf(unknown)).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(new Set([...refusals, unknown].map(({ text }) => text)).size).toBe(1)
    const confirmed = await admin.ask(
      'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { accessToken refreshToken csrfToken } }',
      { input: { currentPassword: password } },
    )
    keep(admin, okData(confirmed).confirmPassword)
    expect(outcomeOf(await setRole())).toEqual(asked)
    expect(outcomeOf(await stepUp(admin, challengeIn(await setRole())))).toEqual(allowed)
    const again = Object.assign(bench.visitor(), { account: admin.account, codes: admin.codes, code: admin.code })
    expect(outcomeOf(await signInWithBoth(again, 'SESSION', recoveryCode))).toEqual(allowed)
  })
})

test('a step-up is answered by a passkey, with the same challenge', async () => {
  const bench = createFactorBench()
  const owner = await withPasskey(bench)
  bench.advance(301)
  const refused = await owner.ask(operations.register)
  expect([...outcomeOf(refused), refused.errors[0]?.extensions.factors]).toEqual([...asked, ['passkey']])
  const challenge = String(challengeIn(refused))
  expect(outcomeOf(await showPasskey(owner, owner.authenticator, { challenge }))).toEqual(allowed)
  expect(outcomeOf(await owner.ask(operations.register))).toEqual(allowed)
})

test('a step-up by a passkey that signs something else is 403, and stays signed in', async () => {
  const bench = createFactorBench()
  const owner = await withPasskey(bench)
  bench.advance(301)
  const challenge = String(challengeIn(await owner.ask(operations.register)))
  const { options } = okData(await owner.ask(operations.startPasskey, { input: { challenge } })).startPasskeySignIn
  const response = JSON.stringify(await owner.authenticator.get(JSON.parse(options), { isForged: true }))
  const answer = await owner.ask(operations.finishPasskey, { input: { response, challenge } })
  expect([...outcomeOf(answer), answer.cookies]).toEqual([403, 'INVALID_CREDENTIALS', []])
  expect(outcomeOf(await owner.ask(operations.viewer))).toEqual(allowed)
})

describe('a challenge of a step-up', () => {
  test('takes no answer from another session of the account, from no session, nor from another account', async () => {
    const bench = createFactorBench()
    const { admin, setRole } = await openAdmin(bench, 'SESSION')
    bench.advance(301)
    const challenge = challengeIn(await setRole())
    const stranger = bench.visitor()
    const input = () => ({ input: { challenge, code: admin.code() } })
    expect(outcomeOf(await stranger.ask(operations.verify, input()))).toEqual([401, 'INVALID_CREDENTIALS'])
    const other = await bench.signedIn()
    expect(outcomeOf(await other.ask(operations.verify, input()))).toEqual([403, 'INVALID_CREDENTIALS'])
    const second = Object.assign(bench.visitor(), { account: admin.account, codes: [], code: admin.code })
    okData(await signInWithBoth(second, 'SESSION'))
    expect(outcomeOf(await second.ask(operations.verify, input()))).toEqual([403, 'INVALID_CREDENTIALS'])
    expect(outcomeOf(await stepUp(admin, challenge))).toEqual(allowed)
  })

  test('is refused with 401 if it belongs to a sign-in, and the session of the request stays', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    okData(await signInWithBoth(person, 'SESSION'))
    const challenge = await challengeOf(
      Object.assign(bench.visitor(), { account: person.account, codes: [], code: person.code }),
    )
    expect(outcomeOf(await stepUp(person, challenge, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(outcomeOf(await person.ask(operations.viewer))).toEqual(allowed)
  })

  test('over a session cookie needs the CSRF token, as every mutation does', async () => {
    const bench = createFactorBench()
    const { admin, setRole } = await openAdmin(bench, 'SESSION')
    bench.advance(301)
    const challenge = challengeIn(await setRole())
    const { csrfToken } = admin
    admin.csrfToken = null
    expect(outcomeOf(await stepUp(admin, challenge, admin.code(), ownPage))).toEqual([403, 'CSRF_REJECTED'])
    admin.csrfToken = csrfToken
    expect(outcomeOf(await stepUp(admin, challenge))).toEqual(allowed)
  })

  test('is not answered for a page if it belongs to a native family', async () => {
    const bench = createFactorBench()
    const { admin, setRole } = await openAdmin(bench, 'NATIVE')
    bench.advance(301)
    const challenge = challengeIn(await setRole())
    expect(outcomeOf(await stepUp(admin, challenge, admin.code(), ownPage))).toEqual([200, 'BAD_USER_INPUT'])
    expect(outcomeOf(await stepUp(admin, challenge))).toEqual(allowed)
  })
})

test("an outage of the challenge's store is 503, neither access nor a sign-out", async () => {
  let isDown = false
  const bench = createFactorBench({
    around: async (name, call) => {
      if (isDown && name === 'records.insert') throw new StoreError('STORE_UNAVAILABLE', 'the host is down')
      return call()
    },
  })
  const { admin, setRole } = await openAdmin(bench, 'SESSION')
  bench.advance(301)
  isDown = true
  const answer = await setRole()
  expect([...outcomeOf(answer), answer.headers.get('www-authenticate')]).toEqual([503, 'SERVICE_UNAVAILABLE', null])
  isDown = false
  expect(outcomeOf(await admin.ask(operations.viewer))).toEqual(allowed)
  expect(outcomeOf(await setRole())).toEqual(asked)
})

test('a client gets no challenge, because its code would count for the account without a renewed token', async () => {
  const bench = createFactorBench({
    options: {
      typeDefs: 'type Query { report: String! @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 300) }',
      resolvers: { Query: { report: () => 'done' } },
    },
  })
  const admin = await withTotp(bench, 'ADMIN')
  const account = (await bench.stores.accounts.get(admin.account.id)) ?? admin.account
  const { accessToken: bearer } = await openGrant(bench, account, { clientId: 'reports', scopes: ['notes:write'] })
  const answer = await Object.assign(bench.visitor(), { bearer }).ask('{ report }')
  expect(outcomeOf(answer)).toEqual(asked)
  expect(answer.errors[0]?.extensions).toMatchObject({ challenge: 'insufficient_user_authentication', factors: [] })
})
