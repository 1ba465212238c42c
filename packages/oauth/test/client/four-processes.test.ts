import { randomBytes } from '@latchkey/bytes'
import { createOAuthClient, providers } from '@latchkey/oauth/client'
import { createMemoryRecordStore } from '@latchkey/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from './support/open-oidc-provider.ts'
import { type FinishingProcess, startProcess } from './support/processes.ts'
import { createTestProvider, type TestProvider } from './support/test-provider.ts'

let listening: Listening
let provider: TestProvider
let processes: readonly FinishingProcess[] = []
const records = createMemoryRecordStore()

beforeAll(async () => {
  listening = await listen()
  provider = await createTestProvider({ issuer: listening.origin, now: Date.now })
  listening.answerBy(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', headers } = request
    const answer = await provider.fetch(`${listening.origin}${request.url}`, {
      method,
      headers: { authorization: headers.authorization ?? '' },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  processes = await Promise.all(Array.from({ length: 4 }, () => startProcess(records)))
})
afterAll(async () => {
  await Promise.all(processes.map((one) => one.close()))
  await listening?.close()
})

test('fifty callbacks of one sign-in over four processes sign in once', async () => {
  const bytes = randomBytes(32)
  const redirectUri = 'https://app.example/callback'
  const client = createOAuthClient({
    provider: providers.openid({ issuer: listening.origin }),
    clientId: 'client',
    clientSecret: 'secret-of-client',
    redirectUri,
    records,
    secrets: [{ id: 'a', bytes }],
    timeoutMs: 30_000,
  })
  const { url, cookie } = await client.begin()
  const message = {
    kind: 'finish',
    issuer: listening.origin,
    redirectUri,
    secret: Buffer.from(bytes).toString('base64url'),
    url: provider.authorize(url).href,
    cookie: cookie.split(';')[0] ?? '',
  } as const
  const counts = [13, 13, 12, 12]
  const outcomes = await Promise.all(
    processes.map((one, index) => one.finish({ ...message, count: counts[index] ?? 0 })),
  )
  const all = outcomes.flat()
  expect(all).toHaveLength(50)
  expect(all.filter((outcome) => outcome === 'ok')).toHaveLength(1)
  expect(all.filter((outcome) => outcome === 'used')).toHaveLength(49)
  expect(provider.count('/token')).toBe(1)
})
