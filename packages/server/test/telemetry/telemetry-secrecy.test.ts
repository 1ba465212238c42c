import { allowNativeDelivery } from '@latchkey/accounts'
import { createTelemetry } from '@latchkey/telemetry'
import { afterAll, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { recordTelemetry } from '../support/recorded-telemetry.ts'

const sdk = recordTelemetry()
afterAll(() => sdk.end())

test('no span and no metric has a secret, a cookie, an address, a query string or a literal of a document', async () => {
  const { tracerProvider, meterProvider } = sdk
  const telemetry = createTelemetry({ tracerProvider, meterProvider })
  const bench = createBench({ options: { observe: { telemetry }, sessions: { nativeDelivery: allowNativeDelivery } } })
  const email = 'ada.canary@example.com'
  const canaries = new Set([password, newPassword, email, 'canary'])
  const visitor = bench.visitor()
  const input = { email, password, name: 'canary name' }
  await visitor.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }', { input })
  const token = await bench.mailedToken(email)
  canaries.add(token)
  await visitor.get(`/verify?token=${token}`)
  await visitor.post('/verify', { token })
  for (const delivery of ['SESSION', 'TOKEN', 'NATIVE'] as const) {
    await visitor.signIn(email, newPassword, delivery)
    const { data, cookies } = await visitor.signIn(email, password, delivery)
    const { accessToken, refreshToken } = data.signIn
    for (const secret of [accessToken, refreshToken, ...cookies.map((line) => line.split(/[=;]/)[1])]) {
      if (secret) canaries.add(secret)
    }
    await visitor.ask('{ viewer { id } secretPlan }')
    await visitor.ask(
      `mutation { changePassword(input: { currentPassword: "${newPassword}", newPassword: "canary" }) }`,
    )
    await visitor.ask(`mutation { changePassword(input: { currentPassword: "${password}", newPassword: "canary`)
  }
  await visitor.get('/canary/path?canary=1', { 'user-agent': 'canary', referer: 'https://canary.example' })
  await visitor.ask('{ hello }', {}, { traceparent: 'canary', baggage: 'who=canary', tracestate: 'who=canary' })
  await visitor.ask(`mutation { requestPasswordReset(input: { email: "${email}" }) }`)
  canaries.add(await bench.mailedToken(email))

  expect(sdk.spans().length).toBeGreaterThan(20)
  expect(canaries.size).toBeGreaterThan(8)
  const everything = await sdk.everything()
  expect([...canaries].filter((canary) => everything.includes(canary))).toEqual([])
  await bench.server.close()
})
