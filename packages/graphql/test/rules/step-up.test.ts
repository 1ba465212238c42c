import { compileAccess } from '@latchkey/graphql'
import type { IdentityInput } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { ask, identityOf, now, policy, schemaOf } from '../support/access-fixture.ts'

const access = compileAccess({
  policy,
  now: () => now,
  schema: schemaOf(`
    type Vault @stepUp(maxAgeSeconds: 60) { text: String @authenticated }
    type Query {
      publish: String @requires(permissions: "articles:publish") @stepUp(maxAgeSeconds: 300)
      setRole: String @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
      replace: String @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true)
      vault: Vault @authenticated
    }`),
})
const minute = 60_000
const verdictOf = async (query: string, more: Partial<IdentityInput>, role = 'EDITOR') =>
  (await ask(access, query, identityOf('editor', role, more))).verdict
const shown = (kind: string, at = now) => ({
  factors: [
    { kind: 'password', at: now },
    { kind, at },
  ],
})

describe('a step-up', () => {
  test.each([
    ['only a password', { factors: [{ kind: 'password', at: now }] }, 'STEP_UP_REQUIRED'],
    ['nothing', {}, 'STEP_UP_REQUIRED'],
    ['a code', shown('totp'), 'executed'],
    ['a passkey', shown('passkey'), 'executed'],
    ['a recovery code', shown('recovery-code'), 'STEP_UP_REQUIRED'],
    [
      'a recovery code of an account that has some',
      { ...shown('recovery-code'), enrolledFactors: ['totp', 'recovery-code'] },
      'STEP_UP_REQUIRED',
    ],
    ['a code five minutes ago', shown('totp', now - 5 * minute), 'executed'],
    ['a code a moment earlier', shown('totp', now - 5 * minute - 1), 'STEP_UP_REQUIRED'],
    ['a code of a clock that is a little ahead', shown('totp', now + 1000), 'executed'],
    ['a code from the future', shown('totp', now + 5 * minute), 'STEP_UP_REQUIRED'],
    ['a code at no time', shown('totp', Number.NaN), 'STEP_UP_REQUIRED'],
    ['something that is no second factor', shown('google'), 'STEP_UP_REQUIRED'],
    ['something that the account has enrolled', { ...shown('sms'), enrolledFactors: ['sms'] }, 'executed'],
    [
      'a password that claims to be enrolled',
      { factors: [{ kind: 'password', at: now }], enrolledFactors: ['password'] },
      'STEP_UP_REQUIRED',
    ],
  ])('satisfied by %s is %s', async (_what, more, expected) => {
    expect(await verdictOf('{ publish }', more)).toBe(expected)
  })

  test('comes after what no factor would mend', async () => {
    expect(await verdictOf('{ publish }', {}, 'AUTHOR')).toBe('FORBIDDEN')
    expect((await ask(access, '{ publish }')).verdict).toBe('UNAUTHENTICATED')
  })

  const password = (at: number) => ({ factors: [{ kind: 'password', at }] })

  test.each([
    ['has shown nothing', {}, 'STEP_UP_REQUIRED'],
    ['has shown its password five minutes ago', password(now - 5 * minute), 'executed'],
    ['has shown its password a moment earlier', password(now - 5 * minute - 1), 'STEP_UP_REQUIRED'],
    ['has shown its password in the future', password(now + 5 * minute), 'STEP_UP_REQUIRED'],
    ['has shown a recovery code only', { factors: [{ kind: 'recovery-code', at: now }] }, 'STEP_UP_REQUIRED'],
    [
      'has nothing but recovery codes and shown its password',
      { ...password(now), enrolledFactors: ['recovery-code'] },
      'executed',
    ],
    [
      'has a second factor and shown a recovery code',
      { ...shown('recovery-code'), enrolledFactors: ['totp'] },
      'STEP_UP_REQUIRED',
    ],
    ['has come from a provider just now', { factors: [{ kind: 'provider', at: now }] }, 'executed'],
    ['has a second factor and shown its password', { ...password(now), enrolledFactors: ['totp'] }, 'STEP_UP_REQUIRED'],
    ['has a second factor and shown it', { enrolledFactors: ['totp'], ...shown('totp') }, 'executed'],
  ])('ifEnrolled, for an account that %s: %j is %s', async (_who, more, expected) => {
    expect(await verdictOf('{ setRole }', more)).toBe(expected)
  })

  test.each([
    ['a recovery code', { ...shown('recovery-code'), enrolledFactors: ['totp'] }, 'executed'],
    [
      'a recovery code five minutes ago',
      { ...shown('recovery-code', now - 5 * minute - 1), enrolledFactors: ['totp'] },
      'STEP_UP_REQUIRED',
    ],
    ['a code', { ...shown('totp'), enrolledFactors: ['totp'] }, 'executed'],
    ['only a password', { ...password(now), enrolledFactors: ['totp'] }, 'STEP_UP_REQUIRED'],
    ['a password, with no second factor', password(now), 'executed'],
  ])('accepting recovery codes, proven by %s, is %s', async (_what, more, expected) => {
    expect(await verdictOf('{ replace }', more)).toBe(expected)
  })

  const all = { enrolledFactors: ['totp', 'passkey', 'recovery-code'] }
  const withCode = { factors: [{ kind: 'recovery-code', at: now - 6 * minute }, ...password(0).factors] }

  test.each([
    ['no recovery code, where none is admitted', '{ setRole }', all, ['totp', 'passkey']],
    ['a recovery code, where one is admitted', '{ replace }', all, ['totp', 'passkey', 'recovery-code']],
    ['no recovery code, where one of several rules does not admit it', '{ replace setRole }', all, ['totp', 'passkey']],
    [
      'the password, where nothing but a recovery code was left',
      '{ setRole }',
      { ...withCode, enrolledFactors: ['recovery-code'] },
      ['password'],
    ],
    ['the kinds that are enrolled', '{ setRole }', { enrolledFactors: ['totp', 'passkey'] }, ['totp', 'passkey']],
    ['the password, where there is no second factor', '{ setRole }', {}, ['password']],
    ['what was shown at sign-in', '{ setRole }', { factors: [{ kind: 'provider', at: 0 }] }, ['provider']],
    ['nothing, where only a second factor would do', '{ setRole publish }', password(0), []],
  ])('names what answers it: %s', async (_what, query, more, expected) => {
    const { prepared } = await ask(access, query, identityOf('editor', 'EDITOR', more))
    expect(prepared.ok || prepared.errors[0]?.extensions.factors).toEqual(expected)
  })

  test('required by a type applies to every field that returns it', async () => {
    expect(await verdictOf('{ vault { __typename } }', shown('totp', now - 2 * minute))).toBe('STEP_UP_REQUIRED')
    expect(await verdictOf('{ vault { text } }', shown('totp', now - minute))).toBe('executed')
  })

  test('is never satisfied by a client', async () => {
    const client = policy.identify({
      subject: 'm',
      kind: 'client',
      roles: [],
      scopes: ['articles:publish'],
      ...shown('totp'),
    })
    expect((await ask(access, '{ publish }', client)).verdict).toBe('STEP_UP_REQUIRED')
  })

  test('names what would satisfy all of it (RFC 9470)', async () => {
    const { prepared, paths } = await ask(
      access,
      '{ publish vault { text } }',
      identityOf('e', 'EDITOR', { enrolledFactors: ['totp', 'passkey'] }),
    )
    expect(paths).toEqual(['publish', 'vault', 'vault.text'])
    const extensions = {
      code: 'STEP_UP_REQUIRED',
      challenge: 'insufficient_user_authentication',
      factors: ['totp', 'passkey'],
      maxAgeSeconds: 60,
    }
    expect(prepared.ok || prepared.errors.map((error) => error.extensions)).toEqual([
      extensions,
      extensions,
      extensions,
    ])
    const [body, { status, headers }] = prepared.ok ? [null, { status: 0, headers: {} }] : prepared.response
    expect(status).toBe(401)
    expect((headers as Record<string, string>)['www-authenticate']).toContain(
      'error="insufficient_user_authentication", max_age="60"',
    )
    expect(body).not.toContain('"data"')
  })
})
