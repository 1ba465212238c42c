import { allowNativeDelivery } from '@latchkey/accounts'
import { createMemoryCounterStore } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import { outcomeOf, type Visitor } from '../support/visitor.ts'

let bench: Bench
beforeEach(() => {
  bench = createBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
})

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const verifyEmail = 'mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const email = 'ada@example.com'
const planted = 'the stranger has chosen this'

describe('a sign-up of a stranger that its victim confirms', () => {
  const confirming: [string, (victim: Visitor, token: string) => Promise<unknown>][] = [
    ['by the mutation', (victim, token) => victim.ask(verifyEmail, { input: { token } })],
    [
      'by the mutation with an empty password',
      (victim, token) => victim.ask(verifyEmail, { input: { token, password: '' } }),
    ],
    ['by the page', (victim, token) => victim.post('/verify', { token })],
    [
      'by the page, after a sign-up of their own',
      async (victim, token) => {
        await victim.ask(signUp, { input: { email, password, name: 'Ada' } })
        return victim.post('/verify', { token, password })
      },
    ],
  ]
  test.each(confirming)(
    '%s does not let the stranger in, and a mail opens the account to the victim',
    async (_way, confirm) => {
      const [stranger, victim] = [bench.visitor(), bench.visitor()]
      await stranger.ask(signUp, { input: { email, password: planted, name: 'Ada' } })
      await confirm(victim, await bench.mailedToken(email))
      const account = await bench.stores.accounts.getByEmail(email)
      expect(account).toMatchObject({ status: 'active', passwordHash: null })
      for (const who of [stranger, victim]) {
        expect(outcomeOf(await who.signIn(email, planted))).toEqual([401, 'INVALID_CREDENTIALS'])
      }
      await expect.poll(() => bench.outbox.map(({ subject }) => subject)).toContain('Choose a password')
      const choose = bench.outbox.find(({ subject }) => subject === 'Choose a password')?.url ?? ''
      const token = new URL(choose).searchParams.get('token') ?? ''
      expect((await victim.post('/reset', { token, password: newPassword })).status).toBe(200)
      expect((await victim.signIn(email, newPassword)).status).toBe(200)
      expect(outcomeOf(await stranger.signIn(email, planted))).toEqual([401, 'INVALID_CREDENTIALS'])
    },
  )

  test('grants no access to a stranger with the cookie of the sign-up but without the link', async () => {
    const stranger = bench.visitor()
    await stranger.ask(signUp, { input: { email, password: planted, name: 'Ada' } })
    expect((await stranger.ask(verifyEmail, { input: { token: 'verify_x.y', password: planted } })).codes).toEqual([
      'BAD_USER_INPUT',
    ])
    expect(await bench.stores.accounts.getByEmail(email)).toBeNull()
  })
})

describe('the password of a sign-up', () => {
  test('counts when it is shown again, in any client', async () => {
    await bench.visitor().ask(signUp, { input: { email, password, name: 'Ada' } })
    const input = { token: await bench.mailedToken(email), password }
    expect((await bench.visitor().ask(verifyEmail, { input })).data).toEqual({ verifyEmail: true })
    expect((await bench.visitor().signIn(email, password)).status).toBe(200)
  })

  test('counts for both links of a browser that signed up twice', async () => {
    const visitor = bench.visitor()
    await visitor.ask(signUp, { input: { email, password, name: 'Ada' } })
    const first = await bench.mailedToken(email)
    await visitor.ask(signUp, { input: { email, password: newPassword, name: 'Ada' } })
    await visitor.ask(verifyEmail, { input: { token: first } })
    expect((await visitor.signIn(email, password)).status).toBe(200)
  })

  test('is bound by a cookie that looks the same for a free and a taken address', async () => {
    await bench.insert({ email: 'taken@example.com' })
    for (const address of [email, 'taken@example.com']) {
      const { cookies } = await bench.visitor().ask(signUp, { input: { email: address, password, name: 'Ada' } })
      expect(cookies).toEqual([expect.stringMatching(/^__Host-sign-up=[\w-]{43}; Max-Age=86400; /)])
    }
  })

  test.each(['two', 'quoted', 'odd'])('is not bound by %s cookies', async (kind) => {
    const visitor = bench.visitor()
    await visitor.ask(signUp, { input: { email, password, name: 'Ada' } })
    const secret = visitor.jar.get('__Host-sign-up') ?? ''
    const cookie = {
      two: `__Host-sign-up=${secret}; __Host-sign-up=${secret}`,
      quoted: `__Host-sign-up="${secret}"`,
      odd: `__host-Sign-up=${secret}`,
    }[kind]
    const headers = { cookie: cookie ?? '' }
    await bench.visitor().ask(verifyEmail, { input: { token: await bench.mailedToken(email) } }, headers)
    expect((await bench.stores.accounts.getByEmail(email))?.passwordHash).toBeNull()
  })
})

describe('requests for a reset', () => {
  const mailsTo = (to: string) => bench.outbox.filter((message) => message.to === to)
  const settled = async () => (await bench.server.accounts()).settled()

  async function flood(to: string, requests = 30): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: requests }, () => bench.visitor().ask(requestReset, { input: { email: to } })),
    )
    for (const { status, data } of answers) expect([status, data]).toEqual([200, { requestPasswordReset: true }])
    await settled()
  }

  test("send three mails for concurrent strangers, and more for the owner's own device", async () => {
    const owner = await bench.signedIn()
    const to = owner.account.email
    await owner.ask('mutation { signOut }')
    await flood(to)
    expect(mailsTo(to)).toHaveLength(3)
    await owner.ask(requestReset, { input: { email: to } })
    await settled()
    expect(mailsTo(to)).toHaveLength(4)
    const token = new URL(mailsTo(to).at(-1)?.url ?? '').searchParams.get('token') ?? ''
    expect((await owner.post('/reset', { token, password: newPassword })).status).toBe(200)
    expect((await owner.signIn(to, newPassword)).status).toBe(200)
  })

  test('belong to a native application by the deviceToken of its sign-in', async () => {
    const owner = await bench.signedIn('READER', 'NATIVE')
    const to = owner.account.email
    const signedIn = await bench.visitor().signIn(to, password, 'NATIVE')
    const { deviceToken } = signedIn.data.signIn
    expect(signedIn.cookies).toEqual([])
    await flood(to)
    await bench.visitor().ask(requestReset, { input: { email: to, deviceToken } })
    await settled()
    expect(mailsTo(to)).toHaveLength(4)
  })

  test('are its own for each account of a browser, and a native application keeps them by deviceToken', async () => {
    const [one, other] = [await bench.insert(), await bench.insert()]
    const browser = bench.visitor()
    for (const { email: to } of [one, other]) await browser.signIn(to, password)
    const input = { password, delivery: 'NATIVE' }
    const ask = 'mutation ($input: SignInInput!) { signIn(input: $input) { deviceToken } }'
    const first = await bench.visitor().ask(ask, { input: { ...input, email: one.email } })
    const { deviceToken } = first.data.signIn
    const second = await bench.visitor().ask(ask, { input: { ...input, email: other.email, deviceToken } })
    for (const { email: to } of [one, other]) {
      await flood(to, 5)
      await browser.ask(requestReset, { input: { email: to } })
      await bench.visitor().ask(requestReset, { input: { email: to, deviceToken: second.data.signIn.deviceToken } })
      await settled()
      expect(mailsTo(to)).toHaveLength(5)
    }
  })

  test('are void for a device after a change of the password, except for the changing device', async () => {
    const owner = await bench.signedIn()
    const to = owner.account.email
    const thief = Object.assign(bench.visitor(), { jar: new Map(owner.jar) })
    const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
    await owner.ask(change, { input: { currentPassword: password, newPassword } })
    await flood(to, 5)
    const before = mailsTo(to).length
    for (const { jar } of [thief, owner]) jar.delete('__Host-session')
    await thief.ask(requestReset, { input: { email: to } })
    await settled()
    expect(mailsTo(to)).toHaveLength(before)
    await owner.ask(requestReset, { input: { email: to } })
    await settled()
    expect(mailsTo(to)).toHaveLength(before + 1)
  })

  test('store no record for unknown addresses, and have the same response', async () => {
    const calls: string[] = []
    const watched = createBench({
      around: (method, run) => {
        calls.push(method)
        return run()
      },
    })
    await watched.visitor().ask('{ hello }')
    calls.length = 0
    for (let asked = 0; asked < 50; asked++) {
      await watched.visitor().ask(requestReset, { input: { email: `nobody${asked}@example.com` } })
    }
    await (await watched.server.accounts()).settled()
    expect(new Set(calls)).toEqual(new Set(['accounts.getByEmail']))
  })
})

test('several processes that share counters send three mails together', async () => {
  const counters = createMemoryCounterStore({ now: () => bench.clock.time })
  const options = { stores: { ...bench.stores, counters } }
  const services = [1, 2, 3].map(() => createBench({ beside: bench, options }))
  const { email: to } = await bench.insert()
  for (const { visitor, server } of services) {
    for (let asked = 0; asked < 3; asked++) await visitor().ask(requestReset, { input: { email: to } })
    await (await server.accounts()).settled()
  }
  expect(bench.outbox.filter((message) => message.to === to)).toHaveLength(3)
})

test('an account is found by its address in any spelling', async () => {
  const { id } = await bench.insert({ email: 'ada@xn--bcher-kva.example' })
  const accounts = await bench.server.accounts()
  for (const text of [
    'ada@bücher.example',
    ' ADA@BÜCHER.example ',
    'ada@xn--bcher-kva.example',
    'ada@bücher。example',
  ]) {
    expect(await accounts.findByEmail(text)).toMatchObject({ id })
  }
  for (const text of ['bob@bücher.example', 'ada@bucher.example', 'ada', '']) {
    expect(await accounts.findByEmail(text)).toBeNull()
  }
  expect(await accounts.findByEmail('ada@bücher.example')).not.toHaveProperty('passwordHash')
})

test.each([7, {}, { hit: 1 }, null])('a server is refused with %j as counters', (counters) => {
  expect(() => createBench({ options: { stores: { ...bench.stores, counters } as never } })).toThrow(
    new TypeError('"stores.counters" must be a CounterStore'),
  )
})
