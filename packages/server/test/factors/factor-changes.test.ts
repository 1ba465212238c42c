import { unknownAttempt } from '@latchkey/accounts'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { codeAt } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import {
  createFactorBench,
  okData,
  operations,
  type Person,
  signInWithBoth,
  withPasskey,
  withTotp,
} from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { openGrant } from '../support/grants.ts'
import { type Answer, allowed, asked, outcomeOf, type Visitor } from '../support/visitor.ts'

const refused = [403, 'INVALID_CREDENTIALS']
const factors = '{ factors { kind category createdAt lastUsedAt } }'

type Bench = ReturnType<typeof createFactorBench>

async function renewCsrf(visitor: Visitor): Promise<void> {
  visitor.csrfToken = okData(await visitor.ask(operations.csrf)).csrfToken
}

async function signedInWithTotp(bench: Bench): Promise<Person> {
  const person = await withTotp(bench)
  okData(await signInWithBoth(person, 'SESSION'))
  return person
}

const kindsOf = async (visitor: Visitor): Promise<string[]> =>
  okData(await visitor.ask(factors)).factors.map(({ kind }: { kind: string }) => kind)

describe('the enrolment of an authenticator app', () => {
  test('shows secret, address and picture once, takes effect when confirmed, and revokes all other sessions', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const other = bench.visitor()
    okData(await other.signIn(visitor.account.email, password))
    const { secret, otpauthUri, qrCodeSvg } = okData(await visitor.ask(operations.enroll)).startTotpEnrollment
    expect(otpauthUri).toContain(`otpauth://totp/example.com:${encodeURIComponent(visitor.account.email)}`)
    expect(otpauthUri).toContain(secret)
    expect(qrCodeSvg).toMatch(/^<svg /)
    expect(await kindsOf(visitor)).toEqual([])
    okData(await bench.visitor().signIn(visitor.account.email, password))
    const before = new Map(visitor.jar)
    const code = codeAt(secret, bench.clock.time)
    const confirmed = await visitor.ask(operations.confirm, { input: { code } })
    expect(okData(confirmed).confirmTotpEnrollment.codes).toHaveLength(10)
    expect(visitor.jar.get('__Host-session')).not.toBe(before.get('__Host-session'))
    expect(await kindsOf(visitor)).toEqual(['totp', 'recovery-code'])
    expect(outcomeOf(await other.ask(operations.viewer))).toEqual([401, 'UNAUTHENTICATED'])
    await renewCsrf(visitor)
    expect(outcomeOf(await visitor.ask(operations.enroll))).toEqual(allowed)
    expect(bench.events.map(({ type }) => type)).toContain('factor.added')
    await (await bench.server.accounts()).settled()
    expect(bench.outbox.map(({ to }) => to)).toContain(visitor.account.email)
  })

  test('needs its own session and the right code: otherwise 403 without changes', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const other = Object.assign(bench.visitor(), { account: visitor.account })
    const { csrfToken } = okData(await other.signIn(visitor.account.email, password)).signIn
    other.csrfToken = csrfToken
    const { secret } = okData(await visitor.ask(operations.enroll)).startTotpEnrollment
    const code = codeAt(secret, bench.clock.time)
    const answers = [
      await visitor.ask(operations.confirm, { input: { code: codeAt(secret, bench.clock.time + 600_000) } }),
      await other.ask(operations.confirm, { input: { code } }),
    ]
    expect(answers.map(outcomeOf)).toEqual([refused, refused])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await kindsOf(visitor)).toEqual([])
    expect(outcomeOf(await bench.visitor().signIn(visitor.account.email, password))).toEqual(allowed)
    expect(outcomeOf(await visitor.ask(operations.confirm, { input: { code } }))).toEqual(allowed)
  })

  test('requires the password after 300 s if the account has no second factor, and otherwise the second factor', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    bench.advance(301)
    const first = await visitor.ask(operations.enroll)
    expect([...outcomeOf(first), first.errors[0]?.extensions]).toEqual([
      ...asked,
      {
        code: 'STEP_UP_REQUIRED',
        challenge: 'insufficient_user_authentication',
        factors: ['password'],
        maxAgeSeconds: 300,
      },
    ])
    const person = await signedInWithTotp(bench)
    bench.advance(301)
    const second = await person.ask(operations.enroll)
    expect([...outcomeOf(second), second.errors[0]?.extensions.factors]).toEqual([...asked, ['totp', 'recovery-code']])
  })
})

describe('an authenticator app', () => {
  test.each(['its code', 'a recovery code'])('is disabled by %s, and the password is enough then', async (what) => {
    const bench = createFactorBench()
    const person = await signedInWithTotp(bench)
    expect(outcomeOf(await person.ask(operations.disable, { input: { code: 'wrong' } }))).toEqual(refused)
    expect(await kindsOf(person)).toEqual(['totp', 'recovery-code'])
    const code = what === 'its code' ? person.code() : person.codes[0]
    expect(okData(await person.ask(operations.disable, { input: { code } })).disableTotp).toBe(true)
    expect(await kindsOf(person)).toEqual([])
    expect(okData(await bench.visitor().signIn(person.account.email, password)).signIn.status).toBe('SIGNED_IN')
  })

  test('shows new recovery codes for its code only, and the old codes are void', async () => {
    const bench = createFactorBench()
    const person = await signedInWithTotp(bench)
    const regenerate = (input: object): Promise<Answer> => person.ask(operations.regenerate, { input })
    expect(outcomeOf(await regenerate({ code: person.codes[0] }))).toEqual(refused)
    expect(outcomeOf(await regenerate({}))).toEqual(refused)
    const { codes } = okData(await regenerate({ code: person.code() })).regenerateRecoveryCodes
    expect(codes).toHaveLength(10)
    const again = Object.assign(bench.visitor(), { account: person.account, codes, code: person.code })
    expect(outcomeOf(await signInWithBoth(again, 'SESSION', person.codes[0]))).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(outcomeOf(await signInWithBoth(again, 'SESSION', codes[0]))).toEqual(allowed)
  })
})

describe('a passkey', () => {
  test('comes with recovery codes if it is the first factor, and is listed by its name', async () => {
    const bench = createFactorBench()
    const owner = await withPasskey(bench)
    expect(owner.codes).toHaveLength(10)
    expect(okData(await owner.ask('{ passkeys { id name createdAt backedUp recoveryCodes } }')).passkeys).toEqual([
      {
        id: owner.passkeyId,
        name: 'Laptop',
        createdAt: expect.stringMatching(/Z$/),
        backedUp: true,
        recoveryCodes: null,
      },
    ])
    expect(await kindsOf(owner)).toEqual(['passkey', 'recovery-code'])
  })

  test('is 403 without changes if its registration is refused', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const { options } = okData(await visitor.ask(operations.register)).startPasskeyRegistration
    const made = await authenticator.create(JSON.parse(options), { origin: 'https://evil.example' })
    const responses = ['{', JSON.stringify(made)]
    const answers = await Promise.all(
      responses.map((response) => visitor.ask(operations.registered, { input: { name: 'Laptop', response } })),
    )
    expect(answers.map(outcomeOf)).toEqual([refused, refused])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await kindsOf(visitor)).toEqual([])
  })

  test('is 403 without changes if another session has started its registration', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const other = Object.assign(bench.visitor(), { account: visitor.account })
    other.csrfToken = okData(await other.signIn(visitor.account.email, password)).signIn.csrfToken
    const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const { options } = okData(await visitor.ask(operations.register)).startPasskeyRegistration
    const response = JSON.stringify(await authenticator.create(JSON.parse(options)))
    const answer = await other.ask(operations.registered, { input: { name: 'Laptop', response } })
    expect(outcomeOf(answer)).toEqual(refused)
    expect(await kindsOf(visitor)).toEqual([])
  })

  test('without a name is refused as input', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const answer = await visitor.ask(operations.registered, { input: { name: ' ', response: '{}' } })
    expect([...outcomeOf(answer), answer.errors[0]?.extensions.field]).toEqual([200, 'BAD_USER_INPUT', 'input.name'])
  })

  test('is removed by its owner, while a foreign and a missing id are false', async () => {
    const bench = createFactorBench()
    const [owner, other] = [await withPasskey(bench), await withPasskey(bench)]
    for (const id of ['missing', other.passkeyId]) {
      expect(okData(await owner.ask(operations.remove, { id })).removePasskey).toBe(false)
    }
    expect(okData(await owner.ask(operations.remove, { id: owner.passkeyId })).removePasskey).toBe(true)
    expect([await kindsOf(owner), await kindsOf(other)]).toEqual([[], ['passkey', 'recovery-code']])
  })

  test('stays if it is the only way to sign in, and its owner gets the reason', async () => {
    const bench = createFactorBench()
    const owner = await withPasskey(bench)
    const { epoch = 0 } = (await bench.stores.accounts.get(owner.account.id)) ?? {}
    await bench.stores.accounts.replace(owner.account.id, { epoch }, { passwordHash: null })
    const answer = await owner.ask(operations.remove, { id: owner.passkeyId })
    expect(outcomeOf(answer)).toEqual([200, 'BAD_USER_INPUT'])
    const page = await owner.post('/account/passkeys/remove', { id: owner.passkeyId }, ownForm)
    for (const said of [answer.errors[0]?.message ?? '', page.text]) expect(said).toContain('your only way to sign in')
    expect([page.status, await kindsOf(owner)]).toEqual([400, ['passkey', 'recovery-code']])
  })

  test('is renamed by its owner without a fresh proof, and not by another account', async () => {
    const bench = createFactorBench()
    const [owner, other] = [await withPasskey(bench), await withPasskey(bench)]
    bench.advance(301)
    const rename = (id: string, name = 'Watch') => owner.ask(operations.rename, { input: { id, name } })
    for (const id of ['missing', other.passkeyId]) expect(outcomeOf(await rename(id))).toEqual([200, 'NOT_FOUND'])
    const refused = await rename(owner.passkeyId, '')
    expect([refused.codes, refused.errors[0]?.extensions.field]).toEqual([['BAD_USER_INPUT'], 'input.name'])
    const { renamePasskey } = okData(await rename(owner.passkeyId))
    expect(renamePasskey).toEqual({ id: owner.passkeyId, name: 'Watch', recoveryCodes: null })
    const names = async (visitor: Visitor) => okData(await visitor.ask('{ passkeys { name } }')).passkeys
    expect([await names(owner), await names(other)]).toEqual([[{ name: 'Watch' }], [{ name: 'Laptop' }]])
  })

  test('allows new recovery codes for 300 s after its proof, which a password does not', async () => {
    const bench = createFactorBench()
    const owner = await withPasskey(bench)
    expect(okData(await owner.ask(operations.regenerate, { input: {} })).regenerateRecoveryCodes.codes).toHaveLength(10)
    await renewCsrf(owner)
    bench.advance(301)
    const late = await owner.ask(operations.regenerate, { input: {} })
    expect([...outcomeOf(late), late.errors[0]?.extensions.factors]).toEqual([...asked, ['passkey']])
    const visitor = await bench.signedIn()
    expect(outcomeOf(await visitor.ask(operations.regenerate, { input: {} }))).toEqual(asked)
  })
})

describe('a session by a recovery code', () => {
  test('replaces the app as its only change; all other changes require the app', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    okData(await signInWithBoth(person, 'SESSION', person.codes[0]))
    for (const query of [operations.register, `mutation { setRole(input: { accountId: "x", role: READER }) { id } }`]) {
      expect(outcomeOf(await person.ask(query))[0]).not.toBe(200)
    }
    expect(outcomeOf(await person.ask(operations.register))).toEqual(asked)
    const { secret } = okData(await person.ask(operations.enroll)).startTotpEnrollment
    const code = codeAt(secret, bench.clock.time)
    expect(okData(await person.ask(operations.confirm, { input: { code } })).confirmTotpEnrollment.codes).toEqual([])
    await renewCsrf(person)
    const again = Object.assign(bench.visitor(), { account: person.account, codes: [], code: person.code })
    expect(outcomeOf(await signInWithBoth(again, 'SESSION'))).toEqual([401, 'INVALID_CREDENTIALS'])
    bench.advance(30)
    const fresh = codeAt(secret, bench.clock.time)
    expect(outcomeOf(await signInWithBoth(again, 'SESSION', fresh))).toEqual(allowed)
  })

  test('removes a passkey, and the next removal requires a factor', async () => {
    const bench = createFactorBench()
    const owner = await withPasskey(bench)
    const second = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const { options } = okData(await owner.ask(operations.register)).startPasskeyRegistration
    const response = JSON.stringify(await second.create(JSON.parse(options)))
    const added = okData(await owner.ask(operations.registered, { input: { name: 'Phone', response } }))
    expect(added.finishPasskeyRegistration.recoveryCodes).toBeNull()
    const lost = Object.assign(bench.visitor(), { account: owner.account, codes: owner.codes, code: () => '' })
    okData(await signInWithBoth(lost, 'SESSION', owner.codes[0]))
    expect(okData(await lost.ask(operations.remove, { id: owner.passkeyId })).removePasskey).toBe(true)
    await renewCsrf(lost)
    expect(outcomeOf(await lost.ask(operations.remove, { id: added.finishPasskeyRegistration.id }))).toEqual(asked)
  })
})

test('a user without any factor signs in by password after an administrator has reset the factors', async () => {
  const bench = createFactorBench()
  const person = await signedInWithTotp(bench)
  const accounts = await bench.server.accounts()
  await accounts.resetFactors({ id: person.account.id, attempt: unknownAttempt })
  expect(outcomeOf(await person.ask(operations.viewer))).toEqual([401, 'UNAUTHENTICATED'])
  const visitor = bench.visitor()
  const { signIn } = okData(await visitor.signIn(person.account.email, password))
  expect(signIn.status).toBe('SIGNED_IN')
  expect(await kindsOf(visitor)).toEqual([])
})

describe('the operations of factors', () => {
  const queries = [operations.enroll, operations.register, factors, '{ passkeys { id } }']
  const secrets = [
    [operations.confirm, { input: { code: '000000' } }],
    [operations.disable, { input: { code: '000000' } }],
    [operations.regenerate, { input: {} }],
    [operations.registered, { input: { name: 'Laptop', response: '{}' } }],
    [operations.rename, { input: { id: '1', name: 'x' } }],
    [operations.remove, { id: '1' }],
  ] as const

  test('are refused without a sign-in', async () => {
    const { visitor } = createFactorBench()
    for (const query of queries) expect(outcomeOf(await visitor().ask(query))).toEqual([401, 'UNAUTHENTICATED'])
    for (const [query, variables] of secrets) {
      expect(outcomeOf(await visitor().ask(query, variables))).toEqual([401, 'UNAUTHENTICATED'])
    }
  })

  test('are refused for clients', async () => {
    const bench = createFactorBench()
    const account = await bench.insert()
    const { accessToken: bearer } = await openGrant(bench, account, {
      clientId: 'reports',
      scopes: ['openid', 'email'],
    })
    const visitor = Object.assign(bench.visitor(), { bearer })
    for (const query of queries) expect(outcomeOf(await visitor.ask(query))).toEqual([403, 'FORBIDDEN'])
    for (const [query, variables] of secrets) {
      expect(outcomeOf(await visitor.ask(query, variables))).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('must be the only field of an operation if they test a secret', async () => {
    const bench = createFactorBench()
    const visitor = await bench.signedIn()
    const code = '{ code: "000000" }'
    for (const field of [
      `confirmTotpEnrollment(input: ${code}) { codes }`,
      `disableTotp(input: ${code})`,
      `regenerateRecoveryCodes(input: ${code}) { codes }`,
      'verifySecondFactor(input: { challenge: "x", code: "000000" }) { status }',
      'finishPasskeySignIn(input: { response: "{}" }) { status }',
      'finishPasskeyRegistration(input: { name: "x", response: "{}" }) { id }',
    ]) {
      const answer = await visitor.ask(`mutation { one: ${field} two: ${field} }`)
      expect(outcomeOf(answer)).toEqual([400, 'QUERY_LIMIT_EXCEEDED'])
    }
  })
})
