import { createTestServer, type SignedInVisitor, type TestServer } from '@latchkey/server/testing'
import { expect, onTestFinished, test } from 'vitest'
import { server } from '../src/server.ts'

const plan = '{ plan }'
const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { status challenge factors } }'
const verify = 'mutation ($input: VerifySecondFactorInput!) { verifySecondFactor(input: $input) { status } }'

interface Asked {
  readonly signIn: { readonly status: string; readonly challenge: string; readonly factors: readonly string[] }
}

async function open(): Promise<TestServer> {
  const opened = await createTestServer(server)
  onTestFinished(() => opened.close())
  return opened
}

const memberOf = ({ signedIn }: TestServer, factors: readonly string[]): Promise<SignedInVisitor> =>
  signedIn({ role: 'MEMBER', factors })

test('a member with an app signs in with its code, and reads the plan for five minutes', async () => {
  const opened = await open()
  const { account, password, totpCode } = await memberOf(opened, ['password', 'totp'])
  const browser = opened.visitor()
  const asked = await browser.graphql<Asked>(signIn, { input: { email: account.email, password } })
  expect(asked.data?.signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', factors: ['totp', 'recovery-code'] })
  expect(await browser.graphql(plan)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  const input = { challenge: asked.data?.signIn.challenge, code: await totpCode() }
  expect(await browser.graphql(verify, { input })).toMatchObject({ status: 200 })
  expect(await browser.graphql(plan)).toMatchObject({ data: { plan: 'We meet at the lighthouse.' } })
  await opened.clock.advance({ seconds: 301 })
  const late = await browser.graphql(plan)
  expect(late).toMatchObject({ status: 401, code: 'STEP_UP_REQUIRED' })
  expect(late.errors[0]?.extensions).toMatchObject({ factors: ['totp'], challenge: expect.stringMatching(/./) })
})

test('a member with only a password does not read it', async () => {
  const member = await memberOf(await open(), ['password'])
  expect(await member.graphql(plan)).toMatchObject({ status: 401, code: 'STEP_UP_REQUIRED' })
})

test('the app is set up with a secret, a picture of it, and codes for the day when it is lost', async () => {
  const member = await memberOf(await open(), ['password'])
  const { data } = await member.graphql<{ startTotpEnrollment: { qrCodeSvg: string } }>(
    'mutation { startTotpEnrollment { secret otpauthUri qrCodeSvg } }',
  )
  expect(data?.startTotpEnrollment.qrCodeSvg).toMatch(/^<svg /)
})
