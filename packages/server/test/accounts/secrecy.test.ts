import { inspect } from 'node:util'
import { allowNativeDelivery } from '@latchkey/accounts'
import { createPasswordHasher } from '@latchkey/password'
import type { ServerMeasurement } from '@latchkey/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import type { Answer } from '../support/visitor.ts'

/** Secrets that occurred, and where each may be seen: in the answer that delivers it, and nowhere else. */
const secrets = new Set([password, newPassword])
const answers: Answer[] = []
const printed: string[] = []
const measured: ServerMeasurement[] = []
let bench: Bench

/** A day in the life of an account, with every kind of answer in it. */
beforeAll(async () => {
  for (const method of ['log', 'error', 'warn', 'info', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...given) => void printed.push(inspect(given, { depth: 9 })))
  }
  bench = createBench({
    options: {
      sessions: { nativeDelivery: allowNativeDelivery },
      observe: { onMeasurement: (measurement) => void measured.push(measurement) },
    },
  })
  const keep = (answer: Answer) => {
    answers.push(answer)
    return answer
  }
  const visitor = bench.visitor()
  const email = 'ada@example.com'
  const input = { email, password, name: 'Ada' }
  keep(await visitor.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input }))
  const token = await bench.mailedToken(email)
  secrets.add(token)
  keep(await visitor.get(`/verify?token=${token}x`))
  keep(await visitor.post('/verify', { token: `${token}x` }))
  keep(await visitor.post('/verify', { token }))
  keep(await visitor.ask(`mutation { verifyEmail(input: { token: "${token}" }) }`))
  for (const delivery of ['SESSION', 'TOKEN', 'NATIVE'] as const) {
    keep(await visitor.signIn(email, newPassword, delivery))
    const { data, cookies } = await visitor.signIn(email, password, delivery)
    const { accessToken, refreshToken } = data.signIn
    for (const secret of [accessToken, refreshToken, ...cookies.map((line) => line.split(/[=;]/)[1])]) {
      if (secret) secrets.add(secret)
    }
    keep(await visitor.ask('{ viewer { id } sessions { id kind userAgent } }'))
    keep(await visitor.ask('{ secretPlan }'))
    keep(await visitor.ask('mutation { refresh(input: { refreshToken: "rt_x" }) { accessToken } }'))
    keep(
      await visitor.ask(
        `mutation { changePassword(input: { currentPassword: "${newPassword}", newPassword: "${newPassword} x" }) }`,
      ),
    )
    keep(
      await visitor.ask(
        `mutation { changePassword(input: { currentPassword: "${password}", newPassword: "${newPassword} x`,
      ),
    )
    keep(await visitor.ask('mutation { signOut }'))
  }
  keep(await visitor.ask('{ viewer { id } }'))
  keep(await visitor.ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`))
  const reset = await bench.mailedToken(email)
  secrets.add(reset)
  keep(await visitor.post('/reset', { token: reset, password: 'short' }))
  keep(await visitor.post('/reset', { token: reset, password: newPassword }))
  keep(await visitor.post('/reset', { token: reset, password: newPassword }))
  const account = await bench.stores.accounts.getByEmail(email)
  secrets.add(account?.passwordHash ?? 'no hash')
})
afterAll(() => vi.restoreAllMocks())

test('the run created every kind of secret', () => {
  expect(secrets.size).toBeGreaterThanOrEqual(10)
  expect(bench.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['sign-in.failed', 'session.created', 'access.denied', 'access.failed']),
  )
})

test('no event holds a secret or an address, in any form of output', () => {
  for (const event of bench.events) {
    const { cause: _hidden, ...shown } = { cause: null, ...event }
    const seen = JSON.stringify(shown) + inspect(event, { depth: 9 })
    for (const secret of [...secrets, 'ada@example.com']) expect(seen).not.toContain(secret)
  }
})

test('no event holds an address that no account has, and no measurement anything of an account', async () => {
  const shown = 'my secret password typed as an address'
  await bench.visitor().signIn(shown, password)
  await bench.visitor().signIn('nobody@example.com', password)
  expect(bench.events.slice(-2)).toMatchObject([
    { type: 'sign-in.failed', accountId: null, reason: 'unknown-account' },
    { type: 'sign-in.failed', accountId: null, reason: 'unknown-account' },
  ])
  expect(JSON.stringify(bench.events)).not.toMatch(/typed as|nobody/)
  expect(measured.length).toBeGreaterThan(20)
  for (const text of [...secrets, 'example.com', 'acc_', shown]) expect(JSON.stringify(measured)).not.toContain(text)
})

test('a service with a listener prints no event', () => {
  expect(printed).toEqual([])
})

test('no answer repeats a secret, except the link with which its page was opened', () => {
  for (const answer of answers) {
    const seen = answer.text + JSON.stringify([...answer.headers])
    for (const secret of secrets) {
      const isOwnForm = answer.text.includes('<form') && seen.includes(`value="${secret}`)
      if (!isOwnForm) expect(seen).not.toContain(secret)
    }
  }
})

test('no answer shows an internal failure', () => {
  const failed = answers.filter(({ codes }) => codes.includes('INTERNAL_SERVER_ERROR'))
  expect(failed.length).toBeGreaterThan(0)
  for (const { text } of failed) expect(text).not.toMatch(/10\.0\.0\.7|select|stack|\.ts/)
})

test('a server and its parts show no secret when they are printed', async () => {
  const hasher = createPasswordHasher()
  const seen = inspect(bench.server, { depth: 9, showHidden: true })
  for (const secret of secrets) expect(seen).not.toContain(secret)
  await hasher.close()
})
