import { findFreePort } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlaces, type Owned, type Place } from '../support/places.ts'
import {
  addAccounts,
  dataOf,
  enrollApp,
  enrollPasskey,
  operations,
  publicUrl,
  signWithPasskey,
  withStores,
} from '../support/second-factors.ts'
import {
  type Environment,
  nodeStart,
  type Quickstart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'
import { textsOf } from '../support/texts.ts'
import { type Answer, createVisitor, type SentForm, seedPassword, type Visitor, visit } from '../support/visitor.ts'

const email = 'both@example.com'
const otherEmail = 'other-owner@example.com'
const newPassword = 'seven kettles hum along'
const deliveries = ['SESSION', 'TOKEN', 'NATIVE'] as const
const manners = ['operations', 'pages'] as const
const resetEmail = (manner: string) => `reset-by-${manner}@example.com`
const imported = (manner: string) => `imported-for-${manner}@example.com`

let service: Quickstart
let environment: Environment
let owner: Owned
let places: readonly Place[]

beforeAll(async () => {
  const PORT = String(await findFreePort())
  // Each visitor comes from an address of its own, so that no limit on guessing hides what a text would open.
  environment = { DATA_DIR: await temporaryDirectory(), PUBLIC_URL: publicUrl, PORT, TRUSTED_PROXIES: '127.0.0.1' }
  service = await startQuickstart(environment, nodeStart)
  await addAccounts(environment, [email, otherEmail, ...manners.map(resetEmail), ...manners.map(imported)])
  owner = await own(email)
  places = createPlaces(service.url, { owner, other: await own(otherEmail), email })
})
afterAll(async () => void (await service.stop()))

/** Adds each factor to an account. */
async function own(address: string): Promise<Owned> {
  const visitor = newVisitor()
  await visitor.signIn(address)
  const { authenticator } = await enrollPasskey(visitor)
  return { visitor, authenticator, app: (await enrollApp(visitor)).app }
}

const newVisitor = (): Visitor => createVisitor(service.url)
const pageOf = (visitor: Visitor, path: string, form: SentForm = {}) =>
  visit(visitor, { url: service.url, publicUrl }, path, form)

async function countSessions(): Promise<number> {
  return dataOf(await owner.visitor.ask(operations.sessions)).sessions.length
}

const newCookies = ({ headers }: Answer) => headers.getSetCookie().filter((line) => !/max-age=0/i.test(line))

// An account is tried from at most 25 unknown devices at once: what is under way counts as wrong until it is right.
const presentedAtOnce = 20

async function showAll(texts: readonly string[], show: Place['show']): Promise<readonly (readonly [string, Answer])[]> {
  const shown: (readonly [string, Answer])[] = []
  for (let begin = 0; begin < texts.length; begin += presentedAtOnce) {
    const some = texts.slice(begin, begin + presentedAtOnce)
    shown.push(...(await Promise.all(some.map(async (text) => [text, await show(text)] as const))))
  }
  return shown
}

/** Shows each text of the answers at each place; none of them opens anything, and the account is as it was. */
async function expectNothingOpens(answers: readonly Answer[]): Promise<void> {
  // Between two pages the challenge is in a cookie, which is no credential either.
  for (const answer of answers)
    expect(newCookies(answer).filter((line) => !/^__Host-challenge=/.test(line))).toEqual([])
  for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store')
  const texts = [...new Set(answers.flatMap(textsOf))]
  expect(texts.filter((text) => text.startsWith('factor_')).length).toBeGreaterThan(0)
  const before = await countSessions()
  for (const { name, show, isOpened } of places) {
    for (const [text, answer] of await showAll(texts, show)) {
      const said = `${text} as ${name}`
      expect(isOpened(answer), said).toBe(false)
      expect(answer.status, said).toBeLessThan(429)
      expect(newCookies(answer), said).toEqual([])
    }
  }
  expect(await countSessions()).toBe(before)
}

describe('before the second factor', () => {
  test('no text of a response is a credential, for any delivery', async () => {
    const visitor = newVisitor()
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

  test('no text of a page opens anything', async () => {
    const visitor = newVisitor()
    const answers = [await pageOf(visitor, '/sign-in?return_to=%2Faccount')]
    answers.push(
      await pageOf(visitor, '/sign-in', { fields: { email, password: seedPassword, return_to: '/account' } }),
    )
    expect([answers[1]?.status, answers[1]?.headers.get('location')]).toEqual([
      303,
      '/second-factor?return_to=%2Faccount',
    ])
    answers.push(
      await pageOf(visitor, '/second-factor'),
      await pageOf(visitor, '/passkey/start', { fields: { step: 'second-factor' } }),
      await pageOf(visitor, '/second-factor', { fields: { code: 'nonsense' } }),
      await pageOf(visitor, '/account'),
    )
    expect(answers.slice(2).map(({ status }) => status)).toEqual([200, 200, 401, 303])
    expect([...visitor.cookies.keys()]).toEqual(['__Host-challenge'])
    await expectNothingOpens(answers)
  })

  test('a visitor who has shown only the password reaches no place of an account', async () => {
    const visitor = newVisitor()
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

  test('neither does what the browser or the application of the owner is known by', async () => {
    const { payload } = await signInByPasskey('NATIVE')
    const visitor = newVisitor()
    for (const name of ['__Host-device', '__Host-challenge', '__Host-sign-up']) {
      visitor.cookies.set(name, owner.visitor.cookies.get('__Host-device') ?? '')
    }
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { status accessToken csrfToken } }'
    const input = { email, password: seedPassword, deviceToken: payload.deviceToken }
    const asked = { status: 'SECOND_FACTOR_REQUIRED', accessToken: null, csrfToken: null }
    expect(dataOf(await visitor.ask(query, { input })).signIn).toEqual(asked)
    expect(dataOf(await visitor.signIn(email)).signIn).toMatchObject(asked)
    const { status, headers } = await pageOf(visitor, '/sign-in', { fields: { email, password: seedPassword } })
    expect([status, headers.get('location')]).toEqual([303, '/second-factor'])
    expect((await pageOf(visitor, '/account')).status).toBe(303)
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
  })

  test('the credentials after the second factor open these places', async () => {
    const [bySession, byTokens, byNative] = await Promise.all(deliveries.map(signInByPasskey))
    const delivered: Readonly<Record<string, string | undefined>> = {
      session: bySession?.cookies.get('__Host-session'),
      'CSRF token': owner.visitor.csrfToken ?? undefined,
      'access token': byTokens?.payload.accessToken,
      'refresh cookie': byTokens?.cookies.get('__Host-refresh'),
      'refresh token': byNative?.payload.refreshToken,
    }
    for (const { name, show, isOpened, opensBy } of places) {
      if (opensBy) expect(isOpened(await show(delivered[opensBy] ?? '')), name).toBe(true)
    }
    expect(new Set(places.map(({ opensBy }) => opensBy)).size).toBe(6)
  })

  test.each(manners)(
    'a password reset revokes everything and opens no session, and asks for the factor: by %s',
    async (manner) => {
      const address = resetEmail(manner)
      const { visitor: holder } = await own(address)
      const ask = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
      dataOf(await newVisitor().ask(ask, { input: { email: address } }))
      const token = await mailedToken(address)
      const visitor = newVisitor()
      if (manner === 'pages') {
        expect((await pageOf(visitor, `/reset?token=${token}`)).status).toBe(200)
        expect((await pageOf(visitor, '/reset', { fields: { token, password: newPassword } })).status).toBe(200)
      } else {
        const done = await visitor.ask(operations.reset, { input: { token, newPassword } })
        expect(dataOf(done)).toEqual({ resetPassword: true })
      }
      expect(visitor.cookies.has('__Host-session') || visitor.cookies.has('__Host-refresh')).toBe(false)
      expect((await holder.ask(operations.viewer)).status).toBe(401)
      expect((await visitor.ask(operations.viewer)).status).toBe(401)
      // Neither does the device that has made the reset skip it.
      await expectFactorAsked(visitor, address, manner)
      await expectNothingOpens([await newVisitor().signIn(address, 'SESSION', newPassword)])
    },
  )

  test.each(manners)('a verified address opens no session, and asks for the factor: by %s', async (manner) => {
    const address = imported(manner)
    await own(address)
    await withStores(environment, async ({ accounts }) => {
      const { id = '', epoch = 0 } = (await accounts.getByEmail(address)) ?? {}
      expect(await accounts.replace(id, { status: 'active' }, { status: 'unverified', epoch: epoch + 1 })).toBe(true)
    })
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
    const visitor = newVisitor()
    dataOf(await visitor.ask(signUp, { input: { email: address, password: newPassword, name: 'Ida Import' } }))
    const token = await mailedToken(address)
    if (manner === 'pages') {
      expect((await pageOf(visitor, `/verify?token=${token}`)).status).toBe(200)
      expect((await pageOf(visitor, '/verify', { fields: { token, password: newPassword } })).status).toBe(200)
    } else {
      const done = await visitor.ask(operations.verifyEmail, { input: { token, password: newPassword } })
      expect(dataOf(done)).toEqual({ verifyEmail: true })
    }
    expect((await visitor.ask(operations.viewer)).status).toBe(401)
    await expectFactorAsked(visitor, address, manner)
  })
})

interface SignedIn {
  readonly payload: Readonly<Record<string, string>>
  readonly cookies: ReadonlyMap<string, string>
}

async function signInByPasskey(delivery: (typeof deliveries)[number]): Promise<SignedIn> {
  const visitor = newVisitor()
  const response = await signWithPasskey(visitor, owner.authenticator)
  const answer = await visitor.ask(operations.finishPasskey, { input: { response, delivery } })
  return { payload: dataOf(answer).finishPasskeySignIn, cookies: visitor.cookies }
}

/** The new password alone opens nothing. */
async function expectFactorAsked(visitor: Visitor, address: string, manner: string): Promise<void> {
  if (manner === 'pages') {
    const asked = await pageOf(visitor, '/sign-in', { fields: { email: address, password: newPassword } })
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/second-factor'])
    expect((await pageOf(visitor, '/account')).status).toBe(303)
  } else {
    for (const delivery of deliveries) {
      const asked = await visitor.signIn(address, delivery, newPassword)
      const nothing = { account: null, accessToken: null, refreshToken: null, csrfToken: null }
      expect(dataOf(asked).signIn).toMatchObject({ status: 'SECOND_FACTOR_REQUIRED', ...nothing })
    }
  }
  expect((await visitor.ask(operations.viewer)).status).toBe(401)
}

async function mailedToken(address: string): Promise<string> {
  const links = async (): Promise<readonly string[]> =>
    (await service.mailsTo(address)).flatMap(({ url }) => (url?.includes('token=') ? [url] : []))
  await expect.poll(links).not.toEqual([])
  return new URL((await links()).at(-1) ?? '').searchParams.get('token') ?? ''
}
