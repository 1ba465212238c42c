import { allowNativeDelivery } from '@latchkey/accounts'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'

const wrong = 'otters sing loudly at noon'

/** Every operation that tests a secret, with a wrong one. */
const operations = {
  signIn: `mutation { signIn(input: { email: "nobody@example.com", password: "${wrong}" }) { status } }`,
  refresh: 'mutation { refresh { expiresIn } }',
  verifyEmail: 'mutation { verifyEmail(input: { token: "x" }) }',
  resetPassword: `mutation { resetPassword(input: { token: "x", newPassword: "${newPassword}" }) }`,
} as const
const ofAccounts = {
  confirmPassword: `mutation { confirmPassword(input: { currentPassword: "${wrong}" }) { status } }`,
  changePassword: `mutation { changePassword(input: { currentPassword: "${wrong}", newPassword: "${newPassword}" }) }`,
} as const

async function openTestServer(): Promise<TestServer> {
  const opened = await createTestServer(createBench({ options: { nativeDelivery: allowNativeDelivery } }).server)
  onTestFinished(() => opened.close())
  return opened
}

/** The attempts of the events so far: there is one for each secret that was refused. */
const attemptsOf = ({ events }: TestServer) => events.flatMap((event) => ('attempt' in event ? [event.attempt] : []))

describe.each([
  ['browser', '203.0.113.9', '203.0.113.9', 'cookie'],
  ['application', '203.0.113.9', '203.0.113.9', 'native'],
  ['browser', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'cookie'],
  ['application', '::ffff:203.0.113.9', '203.0.113.9', 'native'],
] as const)('an attempt by a %s at %s', (agent, address, key, channel) => {
  test.each(Object.entries(operations))('is known by its address %s', async (_name, query) => {
    const server = await openTestServer()
    await server.visitor({ agent, address }).graphql(query)
    expect(attemptsOf(server)).toEqual([{ address: key, device: null, channel }])
  })
})

test.each(Object.entries(ofAccounts))('%s says where the password comes from', async (_name, query) => {
  const server = await openTestServer()
  const reader = await server.signedIn({ role: 'READER' })
  expect((await reader.graphql(query)).code).toBe('INVALID_CREDENTIALS')
  expect(attemptsOf(server)).toEqual([{ address: '192.0.2.1', device: null, channel: 'cookie' }])
})

test.each(['/verify', '/reset'])('a form at %s is an attempt of a page', async (path) => {
  const server = await openTestServer()
  const body = new URLSearchParams({ token: 'x', password }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const visitor = server.visitor({ address: '2001:db8:1:2::1' })
  expect((await visitor.fetch(path, { method: 'POST', body, headers })).status).toBe(400)
  expect(attemptsOf(server)).toEqual([{ address: '2001:db8:1:2::/64', device: null, channel: 'page' }])
})
