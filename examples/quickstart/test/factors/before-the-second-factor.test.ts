import { findFreePort } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type App,
  addAccounts,
  dataOf,
  enrollApp,
  enrollPasskey,
  operations,
  publicUrl,
  signInFully,
  withStores,
} from '../support/second-factors.ts'
import {
  type Environment,
  nodeStart,
  type Quickstart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'
import { type Answer, createVisitor, seedPassword, type Visitor } from '../support/visitor.ts'

const email = 'both@example.com'
const otherEmail = 'other-owner@example.com'
const imported = 'imported@example.com'
const newPassword = 'seven kettles hum along'
const deliveries = ['SESSION', 'TOKEN', 'NATIVE'] as const
const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken } }'
const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
const verifyEmail = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'

let service: Quickstart
let environment: Environment
let owner: Visitor
let app: App
let other: { readonly visitor: Visitor; readonly app: App }

beforeAll(async () => {
  const PORT = String(await findFreePort())
  environment = { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl, PORT }
  service = await startQuickstart(environment, nodeStart)
  await addAccounts(environment, [email, otherEmail, imported])
  owner = createVisitor(service.url)
  await owner.signIn(email)
  await enrollPasskey(owner)
  app = (await enrollApp(owner)).app
  const visitor = createVisitor(service.url)
  await visitor.signIn(otherEmail)
  other = { visitor, app: (await enrollApp(visitor)).app }
})
afterAll(async () => void (await service.stop()))

/** Every text of an answer: of its body, of its headers, and of the cookies that it sets. */
function textsOf({ text, headers }: Answer): readonly string[] {
  const found: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(value, ...readJson(value))
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) collect(member)
  }
  const readJson = (value: string): readonly string[] => {
    if (value.startsWith('{')) collect(JSON.parse(value))
    return []
  }
  collect(JSON.parse(text))
  for (const value of headers.values()) found.push(value, ...value.split(/[=;,\s]+/))
  return found.filter((one) => /^[\x21-\x7e]{3,2000}$/.test(one))
}

interface Place {
  readonly name: string
  /** Shows a text there, at somebody who has nothing else. */
  show(text: string): Promise<Answer>
  /** Where something of the account is seen, if anything opens. */
  readonly opened: (data: Answer['data']) => unknown
}

const nobody = (): Visitor => createVisitor(service.url)

const places: readonly Place[] = [
  {
    name: 'a session cookie',
    show: (text) => nobody().ask(operations.viewer, {}, { cookie: `__Host-session=${text}` }),
    opened: (data) => data?.viewer,
  },
  {
    name: 'a bearer token',
    show: (text) => nobody().ask(operations.viewer, {}, { authorization: `Bearer ${text}` }),
    opened: (data) => data?.viewer,
  },
  {
    name: 'a refresh cookie',
    show: (text) => nobody().ask(refresh, {}, { cookie: `__Host-refresh=${text}` }),
    opened: (data) => data?.refresh,
  },
  {
    name: 'a refresh token',
    show: (text) => nobody().ask(refresh, { input: { refreshToken: text } }),
    opened: (data) => data?.refresh,
  },
  {
    name: 'a CSRF token',
    show: (text) =>
      createWith(owner.cookies).ask(
        'mutation { revokeAllSessions(exceptCurrent: true) }',
        {},
        { 'x-csrf-token': text },
      ),
    opened: (data) => data?.revokeAllSessions,
  },
  {
    name: 'a challenge with the code of another account',
    // Not a code that is right for it: this would be the sign-in itself.
    show: (challenge) => nobody().ask(operations.verify, { input: { challenge, code: other.app.nextCode() } }),
    opened: (data) => data?.verifySecondFactor,
  },
  {
    name: 'the link of a reset',
    show: (token) => nobody().ask(reset, { input: { token, newPassword } }),
    opened: (data) => data?.resetPassword,
  },
  {
    name: 'the link of a sign-up',
    show: (token) => nobody().ask(verifyEmail, { input: { token, password: seedPassword } }),
    opened: (data) => data?.verifyEmail,
  },
  {
    name: 'a device that needs the password alone',
    show: (text) => {
      const input = { email, password: seedPassword, deviceToken: text }
      const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken refreshToken csrfToken } }'
      return nobody().ask(query, { input }, { cookie: `__Host-device=${text}` })
    },
    opened: (data) => Object.values(data?.signIn ?? {}).find((value) => value !== null),
  },
]

function createWith(cookies: ReadonlyMap<string, string>): Visitor {
  const visitor = nobody()
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  return visitor
}

async function countSessions(visitor: Visitor): Promise<number> {
  return dataOf(await visitor.ask(operations.sessions)).sessions.length
}

/** Shows each text of the answers at each place; none of them opens anything, and the account is as it was. */
async function expectNothingOpens(answers: readonly Answer[]): Promise<void> {
  for (const { headers } of answers) expect(headers.getSetCookie()).toEqual([])
  const texts = [...new Set(answers.flatMap(textsOf))]
  expect(texts.length).toBeGreaterThan(10)
  const before = await countSessions(owner)
  for (const { name, show, opened } of places) {
    const shown = await Promise.all(texts.map(show))
    for (const [index, { data, headers, status }] of shown.entries()) {
      const said = `${texts[index]} as ${name}`
      expect(opened(data) ?? null, said).toBeNull()
      expect(status, said).toBeLessThan(500)
      expect(
        headers.getSetCookie().filter((line) => !/max-age=0/i.test(line)),
        said,
      ).toEqual([])
    }
  }
  expect(await countSessions(owner)).toBe(before)
}

describe('before the second factor', () => {
  test('no text of an answer opens anything, whatever the delivery', async () => {
    const visitor = nobody()
    const answers: Answer[] = []
    for (const delivery of deliveries) {
      const asked = await visitor.signIn(email, delivery)
      const { challenge, ...signIn } = dataOf(asked).signIn
      expect(signIn).toEqual({
        status: 'SECOND_FACTOR_REQUIRED',
        factors: ['totp', 'passkey', 'recovery-code'],
        account: null,
        accessToken: null,
        expiresIn: null,
        refreshToken: null,
        csrfToken: null,
      })
      answers.push(asked, await visitor.ask(operations.startPasskey, { input: { challenge } }))
    }
    // A wrong code says no more.
    const { challenge } = dataOf(await visitor.signIn(email)).signIn
    answers.push(await visitor.ask(operations.verify, { input: { challenge, code: 'nonsense' } }))
    expect([...visitor.cookies]).toEqual([])
    await expectNothingOpens(answers)
  })

  test('nothing that needs an account is open to who has shown the password', async () => {
    const visitor = nobody()
    dataOf(await visitor.signIn(email))
    const queries = [
      operations.viewer,
      operations.sessions,
      '{ factors { kind } }',
      '{ passkeys { id } }',
      operations.enroll,
      operations.register,
      'mutation { confirmTotpEnrollment(input: { code: "000000" }) { codes } }',
      'mutation { disableTotp(input: { code: "000000" }) }',
      'mutation { regenerateRecoveryCodes(input: {}) { codes } }',
      'mutation { removePasskey(id: "x") }',
      'mutation { changePassword(input: { currentPassword: "x", newPassword: "x" }) }',
      'mutation { revokeAllSessions }',
      'mutation { createArticle(input: { title: "a", body: "b" }) { id } }',
    ]
    for (const query of queries) {
      const { status, errors } = await visitor.ask(query)
      expect([status, errors[0]?.extensions.code], query).toEqual([401, 'UNAUTHENTICATED'])
    }
    expect(dataOf(await visitor.ask(operations.csrf))).toEqual({ csrfToken: null })
  })

  test('what the sign-in delivers after it opens these places', async () => {
    const visitor = await signInFully(service.url, email, () => app.nextCode())
    const cookie = visitor.cookies.get('__Host-session') ?? ''
    expect(dataOf((await places[0]?.show(cookie)) as Answer).viewer).toEqual({ email })
    owner.cookies.set('__Host-session', cookie)
    owner.csrfToken = visitor.csrfToken
  })

  test('a reset of the password ends what was open, opens nothing, and the factor is asked for', async () => {
    const ask = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
    dataOf(await nobody().ask(ask, { input: { email: otherEmail } }))
    const token = await mailedToken(otherEmail)
    const visitor = nobody()
    const done = await visitor.ask(reset, { input: { token, newPassword } })
    expect(dataOf(done)).toEqual({ resetPassword: true })
    expect(visitor.cookies.has('__Host-session') || visitor.cookies.has('__Host-refresh')).toBe(false)
    expect((await other.visitor.ask(operations.viewer)).status).toBe(401)
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
    // Neither does the device that has made the reset skip it.
    const asked = await visitor.signIn(otherEmail, 'SESSION', newPassword)
    expect(dataOf(asked).signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', csrfToken: null, account: null })
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
    await expectNothingOpens([await nobody().signIn(otherEmail, 'SESSION', newPassword)])
  })

  test('a verified address opens nothing, and the factor is asked for', async () => {
    const first = nobody()
    await first.signIn(imported)
    await enrollApp(first)
    await withStores(environment, async ({ accounts }) => {
      const { id = '', epoch = 0 } = (await accounts.getByEmail(imported)) ?? {}
      expect(await accounts.replace(id, { status: 'active' }, { status: 'unverified', epoch: epoch + 1 })).toBe(true)
    })
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
    const visitor = nobody()
    dataOf(await visitor.ask(signUp, { input: { email: imported, password: newPassword, name: 'Ida Import' } }))
    const token = await mailedToken(imported)
    expect(dataOf(await visitor.ask(verifyEmail, { input: { token, password: newPassword } }))).toEqual({
      verifyEmail: true,
    })
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
    const asked = await visitor.signIn(imported, 'SESSION', newPassword)
    expect(dataOf(asked).signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', csrfToken: null, account: null })
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
  })
})

async function mailedToken(address: string): Promise<string> {
  const links = async (): Promise<readonly string[]> =>
    (await service.mailsTo(address)).flatMap(({ url }) => (url?.includes('token=') ? [url] : []))
  await expect.poll(links).not.toEqual([])
  return new URL((await links()).at(-1) ?? '').searchParams.get('token') ?? ''
}
