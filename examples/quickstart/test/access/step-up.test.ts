import { reportAccess } from '@latchkey/graphql'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { server } from '../../src/server.ts'

const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role } }'
const confirmPassword = `mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) {
  status accessToken refreshToken csrfToken factors
} }`
const verifySecondFactor =
  'mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { status csrfToken } }'
const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken refreshToken } }'

interface Tokens {
  readonly accessToken: string | null
  readonly refreshToken: string | null
}

async function openTestServer(): Promise<TestServer> {
  const opened = await createTestServer(server)
  onTestFinished(() => opened.close())
  return opened
}

/** Returns an administrator with only a password, and how it asks: by its cookie, or by a bearer token. */
async function openAdmin({ signedIn, visitor, clock }: TestServer, delivery: 'SESSION' | 'TOKEN' | 'NATIVE') {
  const admin = await signedIn({ role: 'ADMIN' })
  const reader = await signedIn({ role: 'READER' })
  const asking = delivery === 'SESSION' ? admin : visitor({ agent: delivery === 'NATIVE' ? 'application' : 'browser' })
  const { email } = admin.account
  let bearer: string | null = null
  const ask = <Data>(query: string, input: object) =>
    asking.graphql<Data>(query, { input }, { headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } })
  if (delivery !== 'SESSION') {
    const { data } = await ask<{ signIn: Tokens }>(signIn, { email, password: admin.password, delivery })
    bearer = data?.signIn.accessToken ?? null
  }
  const change = async (role: string) => {
    const { status, code, errors } = await ask(setRole, { accountId: reader.account.id, role })
    return { status, code, extensions: errors[0]?.extensions }
  }
  const confirm = async (currentPassword: string) => {
    const { status, code, data } = await ask<{ confirmPassword: Tokens }>(confirmPassword, { currentPassword })
    bearer = data ? data.confirmPassword.accessToken : bearer
    return { status, code }
  }
  return { admin, change, confirm, clock }
}

const allowed = { status: 200, code: null }

describe.each(['SESSION', 'TOKEN', 'NATIVE'] as const)(
  'setRole asks an administrator with only a password, by %s,',
  (delivery) => {
    test('for the password more than 300 s after the sign-in, allows it for 300 s, then asks again', async () => {
      const { admin, change, confirm, clock } = await openAdmin(await openTestServer(), delivery)
      expect(await change('AUTHOR')).toMatchObject(allowed)
      await clock.advance({ seconds: 301 })
      expect(await change('EDITOR')).toMatchObject({
        status: 401,
        code: 'STEP_UP_REQUIRED',
        extensions: { factors: ['password'], maxAgeSeconds: 300 },
      })
      expect(await confirm('otters sing loudly at noon')).toEqual({ status: 403, code: 'INVALID_CREDENTIALS' })
      expect(await change('EDITOR')).toMatchObject({ status: 401 })
      expect(await confirm(admin.password)).toEqual(allowed)
      expect(await change('EDITOR')).toMatchObject(allowed)
      await clock.advance({ seconds: 299 })
      expect(await change('AUTHOR')).toMatchObject(allowed)
      await clock.advance({ seconds: 2 })
      expect(await change('EDITOR')).toMatchObject({ status: 401, code: 'STEP_UP_REQUIRED' })
    })
  },
)

test('the matrix says that setRole needs a fresh proof, and from which roles', () => {
  const row = reportAccess(server.access).rows.find(({ coordinate }) => coordinate === 'Mutation.setRole')
  expect(row).toMatchObject({
    rule: 'first party; accounts:update; factor at most 300 s old, the first one where there is no second',
    outcomes: { anonymous: '401', EDITOR: '403', ADMIN: 'step-up', 'third party without scopes': '403' },
  })
})

test('an administrator with a second factor must present it for setRole, and is then allowed', async () => {
  const { signedIn, clock } = await openTestServer()
  const admin = await signedIn({ role: 'ADMIN', factors: ['password', 'totp'] })
  await clock.advance({ seconds: 301 })
  const change = () => admin.graphql(setRole, { input: { accountId: admin.account.id, role: 'ADMIN' } })
  const { code, errors } = await change()
  expect([code, errors[0]?.extensions.factors]).toEqual(['STEP_UP_REQUIRED', ['totp']])
  const input = { challenge: errors[0]?.extensions.challenge, code: await admin.totpCode() }
  expect(await admin.graphql(verifySecondFactor, { input })).toMatchObject(allowed)
  expect(await change()).toMatchObject(allowed)
  await clock.advance({ seconds: 301 })
  expect(await change()).toMatchObject({ status: 401, code: 'STEP_UP_REQUIRED' })
})
