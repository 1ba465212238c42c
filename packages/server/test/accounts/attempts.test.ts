import { allowNativeDelivery } from '@latchkey/accounts'
import type { ServerEvent } from '@latchkey/server'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { type Answer, createVisitor, ownPage, signInMutation, type Visitor } from '../support/visitor.ts'

const wrong = 'otters sing loudly at noon'
const ownId = /^[\w-]{16}$/

/** Every operation that tests a secret, with a wrong one. */
const operations = {
  signIn: `mutation { signIn(input: { email: "nobody@example.com", password: "${wrong}" }) { status } }`,
  refresh: 'mutation { refresh { expiresIn } }',
  verifyEmail: 'mutation { verifyEmail(input: { token: "x" }) }',
  resetPassword: `mutation { resetPassword(input: { token: "x", newPassword: "${newPassword}" }) }`,
} as const

async function openTestServer(): Promise<TestServer> {
  const opened = await createTestServer(
    createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } }).server,
  )
  onTestFinished(() => opened.close())
  return opened
}

/** The attempts of the events so far: there is one for each secret that was refused. */
function attemptsOf({ events }: { readonly events: readonly ServerEvent[] }) {
  return events.flatMap((event) => {
    if (!('channel' in event) || !/(failed|refused|reused)$/.test(event.type)) return []
    const { address, device, channel, requestId } = event
    return [{ address, device, channel, requestId }]
  })
}

describe.each([
  ['browser', '203.0.113.9', '203.0.113.9', 'cookie'],
  ['application', '203.0.113.9', '203.0.113.9', 'native'],
  ['browser', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'cookie'],
  ['application', '::ffff:203.0.113.9', '203.0.113.9', 'native'],
] as const)('an attempt by a %s at %s', (agent, address, key, channel) => {
  test.each(Object.entries(operations))('is known by its address and its request %s', async (_name, query) => {
    const server = await openTestServer()
    const { headers } = await server.visitor({ agent, address }).graphql(query)
    const requestId = headers.get('x-request-id')
    expect(requestId).toMatch(ownId)
    expect(attemptsOf(server)).toEqual([{ address: key, device: null, channel, requestId }])
  })
})

test.each([
  ['/verify', 'POST'],
  ['/reset', 'POST'],
  ['/verify', 'GET'],
  ['/reset', 'GET'],
  ['/confirm-email-change', 'GET'],
  ['/confirm-email-change', 'POST'],
  ['/undo-email-change', 'GET'],
  ['/undo-email-change', 'POST'],
] as const)('%s by %s with a wrong token is an attempt of a page', async (path, method) => {
  const server = await openTestServer()
  const visitor = server.visitor({ address: '2001:db8:1:2::1' })
  const body = new URLSearchParams({ token: 'x', password }).toString()
  const sent = { method, body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  const { status, headers } = await visitor.fetch(`${path}?token=x`, method === 'POST' ? sent : {})
  expect(status).toBe(400)
  const requestId = headers.get('x-request-id')
  expect(attemptsOf(server)).toEqual([{ address: '2001:db8:1:2::/64', device: null, channel: 'page', requestId }])
})

/** A service, the owner of an account, and what devices of theirs and of others have got. */
async function openWithDevices() {
  const bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
  const service = { fetch: (request: Request) => bench.server.fetch(request, { peerAddress: '203.0.113.9' }) }
  const visitor = () => createVisitor(service)
  const deviceOf = async (email: string): Promise<string> =>
    (await visitor().signIn(email, password, 'NATIVE')).data.signIn.deviceToken
  const owner = await bench.insert()
  const tokens = {
    known: await deviceOf(owner.email),
    'of another account': await deviceOf((await bench.insert()).email),
    forged: 'a.b.c',
    none: null,
  }
  return { ...bench, owner, tokens, visitor }
}
type Opened = Awaited<ReturnType<typeof openWithDevices>>

/** A route on which a secret of an account is tested, and what is refused there. */
type Refuse = (opened: Opened, visitor: Visitor, device: string | null) => Promise<Answer>

/** Of an account that has a newer epoch by then. */
async function overtakenReset({ visitor, owner, mailedToken, stores }: Opened): Promise<string> {
  await visitor().ask('mutation ($to: String!) { requestPasswordReset(input: { email: $to }) }', { to: owner.email })
  const token = await mailedToken(owner.email)
  await stores.accounts.replace(owner.id, {}, { epoch: 1 })
  return token
}

const signInAs = (visitor: Visitor, email: string, more: object = {}, headers = {}) =>
  visitor.ask(signInMutation, { input: { email, password: wrong, ...more } }, headers)

const withCookie: Readonly<Record<string, readonly [channel: string, Refuse]>> = {
  'signIn of a page': ['cookie', ({ owner }, visitor) => signInAs(visitor, owner.email, {}, ownPage)],
  'signIn of an application': ['native', ({ owner }, visitor) => signInAs(visitor, owner.email)],
  confirmPassword: [
    'cookie',
    async ({ owner }, visitor, device) => {
      await visitor.signIn(owner.email, password)
      return show(visitor, device).ask(
        'mutation ($old: String!) { confirmPassword(input: { currentPassword: $old }) { status } }',
        { old: wrong },
        ownPage,
      )
    },
  ],
  changePassword: [
    'cookie',
    async ({ owner }, visitor, device) => {
      await visitor.signIn(owner.email, password)
      return show(visitor, device).ask(
        'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }',
        { input: { currentPassword: wrong, newPassword } },
        ownPage,
      )
    },
  ],
  'refresh of a page': [
    'cookie',
    async ({ owner, stores }, visitor, device) => {
      await visitor.signIn(owner.email, password, 'TOKEN')
      await stores.accounts.replace(owner.id, {}, { epoch: 1 })
      visitor.bearer = null
      return show(visitor, device).ask('mutation { refresh { expiresIn } }', {}, ownPage)
    },
  ],
  resetPassword: [
    'cookie',
    async (opened, visitor) =>
      visitor.ask(
        'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }',
        { input: { token: await overtakenReset(opened), newPassword } },
        ownPage,
      ),
  ],
  'the form at /reset': [
    'page',
    async (opened, visitor) =>
      visitor.post('/reset', { token: await overtakenReset(opened), password: newPassword }, ownPage),
  ],
}

function show(visitor: Visitor, device: string | null): Visitor {
  if (device === null) visitor.jar.delete('__Host-device')
  else visitor.jar.set('__Host-device', device)
  return visitor
}

const shown = [
  ['known', expect.stringMatching(/^dev_[\w-]{16}$/)],
  ['of another account', null],
  ['forged', null],
  ['none', null],
] as const

/** Exactly one attempt, with the request that was answered. */
function expectAttempt(opened: Opened, answer: Answer, attempt: object): void {
  expect(answer.status >= 400 || answer.codes.length > 0).toBe(true)
  expect(attemptsOf(opened)).toEqual([
    { address: '203.0.113.9', requestId: answer.headers.get('x-request-id'), ...attempt },
  ])
}

describe.each(Object.entries(withCookie))('%s', (_route, [channel, refuse]) => {
  test.each(shown)(
    'with the device cookie of %s is counted for the device that the account knows',
    async (which, device) => {
      const opened = await openWithDevices()
      const token = opened.tokens[which]
      const answer = await refuse(opened, show(opened.visitor(), token), token)
      expectAttempt(opened, answer, { device, channel })
    },
  )
})

describe('signIn of an application with a deviceToken', () => {
  test.each(shown)('with the token of %s is counted for the device that the account knows', async (which, device) => {
    const opened = await openWithDevices()
    const input = { delivery: 'NATIVE', deviceToken: opened.tokens[which] }
    const answer = await signInAs(opened.visitor(), opened.owner.email, input)
    expectAttempt(opened, answer, { device, channel: 'native' })
  })

  test('is counted by its deviceToken, and ignores the cookie of a device', async () => {
    const opened = await openWithDevices()
    const visitor = show(opened.visitor(), opened.tokens.known)
    const answer = await signInAs(visitor, opened.owner.email, { deviceToken: opened.tokens['of another account'] })
    expectAttempt(opened, answer, { device: null, channel: 'native' })
  })
})

test('a device has the same id in every attempt, by cookie and by deviceToken', async () => {
  const opened = await openWithDevices()
  const { owner, tokens } = opened
  await signInAs(show(opened.visitor(), tokens.known), owner.email, {}, ownPage)
  const again = await opened.visitor().ask(signInMutation, {
    input: { email: owner.email, password, delivery: 'NATIVE', deviceToken: tokens.known },
  })
  await signInAs(opened.visitor(), owner.email, { deviceToken: again.data.signIn.deviceToken })
  const devices = attemptsOf(opened).map(({ device }) => device)
  expect([devices.length, new Set(devices).size, typeof devices[0]]).toEqual([2, 1, 'string'])
  for (const device of devices) expect(tokens.known).not.toContain(device?.slice(4))
})
