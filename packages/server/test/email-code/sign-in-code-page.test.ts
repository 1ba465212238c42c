import { StoreError } from '@latchkey/store'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Bench, createBench } from '../support/bench.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const factors = { signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes } } as const
let bench: Bench
let visitor: Visitor
let email: string
let id: string
beforeEach(async () => {
  bench = createBench({ options: { ...factors, signIn: { emailCode: {}, ...factors.signIn } } })
  visitor = bench.visitor()
  const account = await bench.insert()
  email = account.email
  id = account.id
})

const post = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = ownForm) =>
  visitor.post('/sign-in-code', { email, return_to: '/account', ...fields }, headers)
const isSignedIn = async () => (await visitor.ask('{ viewer { id } }')).status === 200
const namesOf = ({ cookies }: Answer) => cookies.map((line) => line.split('=', 1)[0])

async function mailedCode(): Promise<string> {
  const find = () => bench.outbox.findLast((mail) => mail.kind === 'sign-in-code' && mail.to === email)
  const mail = await vi.waitFor(() => find() ?? Promise.reject(new Error('no code was mailed')))
  return mail.kind === 'sign-in-code' ? mail.data.code : ''
}

describe('the page to sign in', () => {
  test('links to the page for a code, which returns to the destination', async () => {
    const page = await visitor.get('/sign-in?return_to=%2Fdevices')
    expect(page.text).toContain('<a href="/sign-in-code?return_to=%2Fdevices">Email me a code</a>')
    const asked = await visitor.get('/sign-in-code?return_to=%2Fdevices')
    expect([asked.status, titleOf(asked), fieldValue(asked, 'return_to')]).toEqual([
      200,
      'Sign in with a code',
      '/devices',
    ])
    expect(asked.text).toContain('<a href="/sign-in?return_to=%2Fdevices">')
    expect([asked.cookies, asked.text.includes('<script')]).toEqual([[], false])
  })
})

describe('/sign-in-code', () => {
  test('mails a code, and shows a field that browsers and phones can fill in', async () => {
    const asked = await post({})
    expect([asked.status, titleOf(asked), namesOf(asked)]).toEqual([
      200,
      'Sign in with a code',
      ['__Host-sign-in-code'],
    ])
    expect(asked.text).toMatch(
      /<input id="code" name="code" type="text" autocomplete="one-time-code" inputmode="numeric"/,
    )
    const done = await post({ code: await mailedCode() })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
    expect(new Set(namesOf(done))).toEqual(new Set(['__Host-session', '__Host-device', '__Host-sign-in-code']))
    expect(visitor.jar.has('__Host-sign-in-code')).toBe(false)
    expect(await isSignedIn()).toBe(true)
  })

  test('is the same for every address, and shows no address', async () => {
    const pages = []
    for (const whose of [email, 'no-one@example.com', 'no address']) {
      const { status, text } = await post({ email: whose })
      pages.push([status, text.replace(/name="email" value="[^"]*"/, '').replace(/nonce="[^"]*"/g, '')])
    }
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
    expect(pages[0]?.[1]).not.toContain(email)
  })

  test.each<[string, Readonly<Record<string, string>>, number, string]>([
    [
      'a wrong code',
      { code: '00000000' },
      401,
      'That code is incorrect or no longer valid. Check the code or get a new one.',
    ],
    ['no code', { code: ' ' }, 400, 'Enter the code from the email.'],
    ['no address', { email: ' ' }, 400, 'Enter your email.'],
    ['no address beside a code', { email: '', code: '00000000' }, 400, 'Enter your email.'],
    [
      'markup in place of a code',
      { code: '<b>"' },
      401,
      'That code is incorrect or no longer valid. Check the code or get a new one.',
    ],
  ])('says what is wrong with %s, and asks again', async (_what, fields, status, said) => {
    await post({})
    const answer = await post(fields)
    expect([answer.status, namesOf(answer)]).toEqual([status, []])
    expect(answer.text).toContain(`role="alert">${said}</p>`)
    expect(answer.text).not.toContain('<b>"')
    expect(await isSignedIn()).toBe(false)
    expect((await post({ code: await mailedCode() })).status).toBe(303)
  })

  test('keeps the address for the second form as text', async () => {
    const answer = await post({ email: '"><b>@example.com' })
    expect(fieldValue(answer, 'email')).toBe('&quot;&gt;&lt;b&gt;@example.com')
  })

  test('refuses a form of another site, without a mail or a session', async () => {
    const foreign = { ...ownForm, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await post({}, foreign)).status).toBe(403)
    await post({})
    const code = await mailedCode()
    expect(bench.outbox).toHaveLength(1)
    const forged = await post({ code }, foreign)
    expect([forged.status, namesOf(forged), await isSignedIn()]).toEqual([403, [], false])
  })

  test('redirects only to pages of this service', async () => {
    await post({})
    const done = await post({ code: await mailedCode(), return_to: 'https://evil.example/' })
    expect(done.headers.get('location')).toBe('/account')
  })

  test('tells the time to wait after too many wrong codes', async () => {
    await post({})
    for (let tried = 0; tried < 5; tried++) expect((await post({ code: '00000000' })).status).toBe(401)
    const answer = await post({ code: await mailedCode() })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '900'])
  })

  test('redirects an account with a second factor to its page, without a session', async () => {
    const secret = await enrollTotp()
    await post({})
    const answer = await post({ code: await mailedCode() })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/second-factor?return_to=%2Faccount'])
    expect(namesOf(answer)).toEqual(['__Host-challenge'])
    expect(await isSignedIn()).toBe(false)
    expect((await visitor.get('/second-factor')).text).toContain('<p>Now confirm with your second factor.</p>')
    bench.advance(60)
    const done = await visitor.post(
      '/second-factor',
      { code: codeAt(secret, bench.clock.time), return_to: '/' },
      ownForm,
    )
    expect([done.status, await isSignedIn()]).toEqual([303, true])
  })

  test('is the fresh proof of an account without a password', async () => {
    await bench.stores.accounts.replace(id, {}, { passwordHash: null })
    await post({})
    await post({ code: await mailedCode() })
    bench.advance(301)
    const asked = await visitor.post('/account/totp/start', {}, ownForm)
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/sign-in-code\?return_to=/),
    ])
    bench.outbox.length = 0
    await post({})
    expect((await post({ code: await mailedCode() })).status).toBe(303)
    const done = await visitor.post('/account/totp/start', {}, ownForm)
    expect([done.status, done.text.includes('otpauth://')]).toEqual([200, true])
  })

  test.each(['accounts.getByEmail', 'counters.hit', 'records.get', 'records.remove', 'lockouts.hit'])(
    'answers 503 if %s fails, without a session',
    async (failing) => {
      let isDown = false
      bench = createBench({
        options: { signIn: { emailCode: {} } },
        around: async (call, run) => {
          if (isDown && call === failing) throw new StoreError('STORE_UNAVAILABLE', 'the database at 10.0.0.7')
          return run()
        },
      })
      visitor = bench.visitor()
      email = (await bench.insert()).email
      await post({})
      const code = await mailedCode()
      isDown = true
      const answer = await post({ code })
      expect([answer.status, answer.headers.get('retry-after'), namesOf(answer)]).toEqual([503, '5', []])
      expect(answer.text).not.toContain('10.0.0.7')
      isDown = false
      expect(await isSignedIn()).toBe(false)
    },
  )

  test('redirects an account with a password to /confirm-password for a fresh proof', async () => {
    await post({})
    await post({ code: await mailedCode() })
    bench.advance(301)
    const asked = await visitor.post('/account/totp/start', {}, ownForm)
    expect(asked.headers.get('location')).toMatch(/^\/confirm-password\?return_to=/)
  })
})

/** Adds an authenticator app to the account, and returns its secret. */
async function enrollTotp(): Promise<string> {
  const owner = bench.visitor()
  await owner.signIn(email, 'otters read quietly at dawn')
  const started = await owner.ask('mutation { startTotpEnrollment { secret } }')
  const { secret } = started.data.startTotpEnrollment
  const confirm = 'mutation ($input: ConfirmTotpInput!) { confirmTotpEnrollment(input: $input) { codes } }'
  const { status } = await owner.ask(confirm, { input: { code: codeAt(secret, bench.clock.time) } })
  if (status !== 200) throw new Error('the app was not added')
  return secret
}
