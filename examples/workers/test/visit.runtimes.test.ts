import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle, type SentMail, startWorkers, type Workers } from './support/start-workers.ts'
import { createVisitor, type Visitor } from './support/visitor.ts'

const password = 'otters read quietly at dawn'
const newPassword = 'seven kettles hum along'
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const verifyEmail = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { status accessToken csrfToken } }'
const refresh = 'mutation { refresh { accessToken } }'
const changePassword = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const viewer = '{ viewer { email } note }'

let text: string
let imports: readonly string[]
let workers: Workers

beforeAll(async () => {
  const made = await bundle()
  text = made.text
  imports = made.imports
  workers = await startWorkers(text)
})
afterAll(() => workers?.stop())

/** Mails leave after the answer: it is awaited that this one has left. */
async function mailTo(email: string, subject: RegExp): Promise<SentMail> {
  const find = () => workers.mails.find((mail) => mail.to === email && subject.test(mail.subject))
  await expect.poll(find).toBeDefined()
  return find() as SentMail
}
const tokenOf = ({ url }: SentMail) => new URL(url ?? '').searchParams.get('token') ?? ''

async function createAccount(email: string): Promise<Visitor> {
  const visitor = createVisitor(workers)
  expect(await visitor.ask(signUp, { input: { email, password, name: 'A Member' } })).toMatchObject({ status: 200 })
  const input = { token: tokenOf(await mailTo(email, /confirm/i)) }
  expect((await visitor.ask(verifyEmail, { input })).data).toEqual({ verifyEmail: true })
  return visitor
}

async function enter(visitor: Visitor, email: string, delivery: string, secret = password): Promise<void> {
  const { data, text: answered } = await visitor.ask(signIn, { input: { email, password: secret, delivery } })
  if (data?.signIn?.status !== 'SIGNED_IN') throw new Error(`the sign-in was answered ${answered}`)
  if (data.signIn.csrfToken) visitor.headers['x-csrf-token'] = data.signIn.csrfToken
  if (data.signIn.accessToken) visitor.headers.authorization = `Bearer ${data.signIn.accessToken}`
}

test('the bundle of a service needs no module of Node.js', () => {
  expect(imports).toEqual([])
})

describe('a visit on Workers', () => {
  const email = 'ada@example.com'
  let browser: Visitor
  let application: Visitor

  test('sign-up with an address: the link of its mail confirms the address', async () => {
    browser = await createAccount(email)
    expect(await browser.ask('{ note }')).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
  })

  test('sign-in with SESSION: the cookie opens a session', async () => {
    await enter(browser, email, 'SESSION')
    expect([...browser.jar.keys()].toSorted()).toEqual(['__Host-device', '__Host-session', '__Host-sign-up'])
    expect((await browser.ask(viewer)).data).toEqual({ viewer: { email }, note: 'Only members read this.' })
  })

  test('sign-in with TOKEN: the refresh token returns a new access token', async () => {
    application = createVisitor(workers)
    await enter(application, email, 'TOKEN')
    expect((await application.ask(viewer)).data?.viewer).toEqual({ email })
    const { data } = await application.ask(refresh)
    application.headers.authorization = `Bearer ${data.refresh.accessToken}`
    expect((await application.ask(viewer)).data?.viewer).toEqual({ email })
  })

  test('refuses a wrong password', async () => {
    const stranger = createVisitor(workers)
    const input = { email, password: newPassword, delivery: 'SESSION' }
    expect(await stranger.ask(signIn, { input })).toMatchObject({ status: 401, codes: ['INVALID_CREDENTIALS'] })
    expect(stranger.jar.size).toBe(0)
  })

  test('change of the password: revokes other sessions and tokens, and sends a mail', async () => {
    const input = { currentPassword: password, newPassword }
    expect((await browser.ask(changePassword, { input })).data).toEqual({ changePassword: true })
    await mailTo(email, /password/i)
    delete browser.headers['x-csrf-token']
    expect((await browser.ask(viewer)).data?.viewer).toEqual({ email })
    expect(await application.ask(viewer)).toMatchObject({ status: 401 })
    await expect(enter(createVisitor(workers), email, 'SESSION')).rejects.toThrow('INVALID_CREDENTIALS')
    await enter(createVisitor(workers), email, 'SESSION', newPassword)
  })

  test('sign-out: removes the cookie and revokes its session', async () => {
    const left = new Map(browser.jar)
    const { data } = await browser.ask('{ csrfToken }')
    browser.headers['x-csrf-token'] = data.csrfToken
    expect((await browser.ask('mutation { signOut }')).data).toEqual({ signOut: true })
    expect([...browser.jar.keys()].toSorted()).toEqual(['__Host-device', '__Host-sign-up'])
    for (const [name, value] of left) browser.jar.set(name, value)
    expect(await browser.ask(viewer)).toMatchObject({ status: 401 })
  })
})

test('a forgotten password is replaced on the page of its link', async () => {
  const email = 'grace@example.com'
  const visitor = await createAccount(email)
  await visitor.ask(requestReset, { input: { email } })
  const token = tokenOf(await mailTo(email, /password/i))
  expect((await workers.fetch(`/reset?token=${token}`)).status).toBe(200)
  expect((await visitor.submit('/reset', { token, password: newPassword })).status).toBe(200)
  await enter(visitor, email, 'SESSION', newPassword)
})

test('the first requests of an isolate, all at once, are answered, and none of their mails is lost', async () => {
  const cold = await startWorkers(text)
  try {
    const emails = Array.from({ length: 3 }, (_none, index) => `member-${index}@example.com`)
    const answers = await Promise.all(
      emails.map((email) => createVisitor(cold).ask(signUp, { input: { email, password, name: 'A Member' } })),
    )
    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200))
    await expect.poll(() => cold.mails.map(({ to }) => to).sort()).toEqual(emails)
    expect((await cold.fetch('/readyz')).status).toBe(200)
  } finally {
    await cold.stop()
  }
})
