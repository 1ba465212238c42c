import { allowNativeDelivery } from '@latchkey/accounts'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Bench, type BenchOptions, createBench } from '../support/bench.ts'
import { type Answer, newCookies, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'

const options = { signIn: { emailCode: {} }, sessions: { nativeDelivery: allowNativeDelivery } } as const
const request = `mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted challenge } }`
const finish = `mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) {
  status account { id } accessToken refreshToken csrfToken challenge factors deviceToken
} }`
const refused = [401, 'INVALID_CREDENTIALS']
const cookie = '__Host-sign-in-code'

let bench: Bench
let visitor: Visitor
let email: string
beforeEach(() => begin())

async function begin(more: BenchOptions['options'] = {}, around?: BenchOptions['around']): Promise<void> {
  bench = createBench({
    options: {
      ...options,
      ...more,
      signIn: { ...options.signIn, ...more.signIn },
      sessions: { ...options.sessions, ...more.sessions },
    },
    ...(around && { around }),
  })
  visitor = bench.visitor()
  email = (await bench.insert()).email
}

const ask = (input: object = {}, by = visitor) => by.ask(request, { input: { email, ...input } })
const show = (input: object, by = visitor) => by.ask(finish, { input: { email, ...input } })
const isSignedIn = async (by = visitor) => outcomeOf(await by.ask('{ viewer { id } }'))[0] === 200

/** The code of the latest mail to the account. */
async function mailedCode(): Promise<string> {
  const find = () => bench.outbox.findLast((mail) => mail.kind === 'sign-in-code' && mail.to === email)
  const mail = await vi.waitFor(() => find() ?? Promise.reject(new Error('no code was mailed')))
  return mail.kind === 'sign-in-code' ? mail.data.code : ''
}

describe('a mailed code', () => {
  test('signs in by a separate cookie of the browser that requested it', async () => {
    const asked = await ask()
    expect(asked.data).toEqual({ requestSignInCode: { accepted: true, challenge: null } })
    expect(asked.cookies).toEqual([
      expect.stringMatching(
        /^__Host-sign-in-code=mailcode_[\w-]{22}\.[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    const done = await show({ code: await mailedCode() })
    expect(done.data.signInWithCode).toMatchObject({ status: 'SIGNED_IN', accessToken: null, refreshToken: null })
    expect(newCookies(done).map((line) => line.split('=', 1)[0])).toEqual(['__Host-session', '__Host-device'])
    expect(visitor.jar.has(cookie)).toBe(false)
    expect(await isSignedIn()).toBe(true)
  })

  test('returns tokens to a script of a page, which never gets the cookie', async () => {
    await ask({ delivery: 'TOKEN' })
    const done = await show({ code: await mailedCode(), delivery: 'TOKEN' })
    expect(done.data.signInWithCode).toMatchObject({ accessToken: expect.any(String), refreshToken: null })
    visitor.bearer = done.data.signInWithCode.accessToken
    expect(await isSignedIn()).toBe(true)
  })

  test('is bound to an application by the challenge in the response, without a cookie', async () => {
    const asked = await ask({ delivery: 'NATIVE' })
    const { challenge } = asked.data.requestSignInCode
    expect([challenge, asked.cookies]).toEqual([expect.stringMatching(/^mailcode_/), []])
    const done = await show({ code: await mailedCode(), challenge, delivery: 'NATIVE' })
    expect(done.data.signInWithCode).toMatchObject({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      deviceToken: expect.any(String),
    })
    expect(done.cookies).toEqual([])
  })

  test('is not bound by a challenge for a page that requests native delivery', async () => {
    visitor.headers = ownPage
    expect((await ask({ delivery: 'NATIVE' })).codes).toEqual(['BAD_USER_INPUT'])
    const challenge = visitor.jar.get(cookie) ?? ''
    await ask()
    const code = await mailedCode()
    const answer = await show({ code, challenge, delivery: 'NATIVE' })
    expect([answer.codes, answer.cookies]).toEqual([['BAD_USER_INPUT'], []])
    expect(outcomeOf(await show({ code }))[0]).toBe(200)
  })

  test.each<[string, () => Promise<Answer>]>([
    ['another browser', async () => show({ code: await mailedCode() }, bench.visitor())],
    [
      'another browser that has asked for a code of its own',
      async () => {
        const code = await mailedCode()
        const other = bench.visitor()
        await ask({}, other)
        return show({ code }, other)
      },
    ],
    [
      'an application that has not asked',
      async () => show({ code: await mailedCode(), delivery: 'NATIVE' }, bench.visitor()),
    ],
    [
      'a script that has the value of the cookie in its input alone',
      async () => show({ code: await mailedCode(), challenge: visitor.jar.get(cookie) }, bench.visitor()),
    ],
    [
      'the browser, which sends the cookie twice',
      async () => {
        const sent = `${cookie}=${visitor.jar.get(cookie)}`
        return bench
          .visitor()
          .ask(finish, { input: { email, code: await mailedCode() } }, { cookie: `${sent}; ${sent}` })
      },
    ],
  ])('is refused where it is right, shown by %s', async (_who, shows) => {
    await ask()
    const answer = await shows()
    expect([...outcomeOf(answer), answer.data, answer.cookies]).toEqual([...refused, undefined, []])
    expect(outcomeOf(await show({ code: await mailedCode() }))[0]).toBe(200)
  })

  test('is counted with wrong passwords, for known and unknown addresses', async () => {
    for (const whose of [email, 'no-one@example.com']) {
      await ask({ email: whose })
      for (let tried = 0; tried < 3; tried++) {
        expect(outcomeOf(await show({ email: whose, code: '00000000' }))).toEqual(refused)
        if (tried < 2) expect(outcomeOf(await visitor.signIn(whose, 'not the password'))).toEqual(refused)
      }
      const answer = await show({ email: whose, code: '00000000' })
      expect(outcomeOf(answer)).toEqual([429, 'RATE_LIMITED'])
      expect(answer.headers.get('retry-after')).toBe('900')
    }
  })
})

describe('a request for a code', () => {
  const shapeOf = ({ status, text, headers, cookies }: Answer) => ({
    status,
    text,
    headers: [...headers.keys()].sort(),
    length: headers.get('content-length'),
    cookies: cookies.map((line) => line.replace(/=[^;]*/, '')),
  })

  test('has the same bytes and the same calls of the stores for known and unknown addresses', async () => {
    const calls: string[] = []
    await begin({ mails: { maxDelayMs: 200 } }, async (call, run) => {
      calls.push(call)
      return run()
    })
    await visitor.ask('{ __typename }')
    const said = []
    for (const whose of [email, 'no-one@example.com', 'no address']) {
      const from = calls.length
      const answer = shapeOf(await ask({ email: whose }))
      said.push({ answer, calls: whose === 'no address' ? [] : calls.slice(from) })
    }
    expect(said[0]?.answer.status).toBe(200)
    expect(said[0]?.calls).toEqual(said[1]?.calls)
    expect(new Set(said.map(({ answer }) => JSON.stringify(answer))).size).toBe(1)
    expect(said[0]?.calls.filter((call) => /insert|replace|remove/.test(call))).toEqual([])
  })

  test('is byte for byte and call for call the same for known and unknown addresses, and so is a refused code', async () => {
    const calls: string[] = []
    await begin({}, async (call, run) => {
      calls.push(call)
      return run()
    })
    // The audit log reads where it stands once.
    await visitor.signIn('another@example.com', 'not the password')
    const said = []
    for (const whose of [email, 'no-one@example.com']) {
      const one = bench.visitor()
      await ask({ email: whose }, one)
      if (whose === email) await mailedCode()
      const from = calls.length
      const answer = shapeOf(await show({ email: whose, code: '00000000' }, one))
      said.push({ answer, calls: calls.slice(from) })
    }
    expect(said[0]?.answer.status).toBe(401)
    expect(said[0]).toEqual(said[1])
  })

  test.each<[string, object]>([
    ['an object in place of the address', { email: { $ne: '' } }],
    ['a list in place of the address', { email: ['a@example.com', 'b@example.com'] }],
    ['no address', { email: null }],
    ['an unknown delivery', { delivery: 'COOKIE' }],
  ])('is refused with %s', async (_what, input) => {
    const answer = await ask(input)
    expect([answer.codes, answer.cookies]).toEqual([['BAD_USER_INPUT'], []])
  })

  test.each<[string, string]>([
    ['two addresses', 'a@example.com,b@example.com'],
    ['a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['10,000 characters', `${'a'.repeat(10_000)}@example.com`],
    ['nothing', ''],
  ])('is answered as any other with %s, and mails nothing', async (_what, written) => {
    const answer = await ask({ email: written })
    expect(answer.data).toEqual({ requestSignInCode: { accepted: true, challenge: null } })
    await bench.server.close()
    expect(bench.outbox).toEqual([])
  })
})

test('neither the code nor its binding is in an event, in the audit log, or in any other response', async () => {
  await ask({ delivery: 'NATIVE' })
  const asked = await ask({ delivery: 'NATIVE' }, bench.visitor())
  const { challenge } = asked.data.requestSignInCode
  const code = await mailedCode()
  const wrong = await show({ code: '00000000', challenge, delivery: 'NATIVE' })
  const right = await show({ code, challenge, delivery: 'NATIVE' })
  const rows = await auditRows()
  const said = JSON.stringify([bench.events, rows, wrong.text, right.text])
  expect(right.status).toBe(200)
  expect(rows).not.toEqual([])
  for (const canary of [code, challenge.split('.')[1]]) expect(said).not.toContain(canary)
  expect(bench.events).toContainEqual(expect.objectContaining({ type: 'session.created', factors: ['email-code'] }))
  expect(bench.events).toContainEqual(expect.objectContaining({ type: 'sign-in.failed', reason: 'factor-wrong' }))
})

async function auditRows(): Promise<unknown> {
  const admin = await bench.signedIn('ADMIN')
  const answer = await admin.ask('{ auditEntries(first: 50) { nodes { kind state accountId } } }')
  return answer.data.auditEntries.nodes
}

describe('a service without the option', () => {
  test('has neither its schema nor its page', async () => {
    const plain = createBench({ options: { graphql: { introspection: 'public' } } })
    const names = '{ __schema { types { name } mutationType { fields { name } } } }'
    const { text } = await plain.visitor().ask(names)
    expect(text).toContain('requestPasswordReset')
    expect(text).not.toMatch(/SignInCode|SignInWithCode/i)
    expect((await plain.visitor().ask(request, { input: { email } })).codes).toContain('GRAPHQL_VALIDATION_FAILED')
    expect((await plain.visitor().get('/sign-in-code')).status).toBe(404)
    expect((await plain.visitor().get('/sign-in')).text).not.toContain('sign-in-code')
  })

  test.each([
    [{ lifetimeSeconds: 601 }, '"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600'],
    [{ digits: 6 }, 'createServer has no option "signIn.emailCode.digits"'],
    [true, '"signIn.emailCode"'],
    [null, '"signIn.emailCode"'],
  ])('is not started with the option %j', (emailCode, message) => {
    expect(() => createBench({ options: { signIn: { emailCode: emailCode as never } } })).toThrow(message)
  })
})
