import { createPkcePair } from '@latchkey/oauth'
import { codeAt } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import {
  answerTo,
  callback,
  createAskingBench,
  decide,
  follow,
  hiddenFields,
  leadsTo,
  open,
  requestPath,
  signInAt,
} from '../support/clients/asking.ts'
import { signInWithBoth, withPasskey, withTotp } from '../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const bench = createAskingBench({ options: { signIn: { trustedDevices: { days: 30 } } } })
const targetsOf = ({ headers }: Answer) =>
  /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]?.split(' ')
const here = ["'self'"]
const atReader = ["'self'", 'https://reader.example.org']
const secondFactor = 'urn:latchkey:2fa'

/** What the id token of a client says of the sign-in, after its user has allowed it. */
async function claimsOf(
  visitor: Visitor,
  changes: Readonly<Record<string, string>>,
  signIn: (page: Answer) => Promise<Answer>,
): Promise<{ readonly auth_time: number; readonly acr: string; readonly amr: readonly string[] }> {
  const { verifier, challenge } = createPkcePair()
  const page = await signIn(await open(visitor, requestPath({ ...changes, code_challenge: challenge })))
  const { code = '' } = answerTo(titleOf(page) === 'Allow access?' ? await decide(visitor, page, 'allow') : page)
  const form = { grant_type: 'authorization_code', client_id: 'reader', redirect_uri: callback, code }
  const { text } = await bench.visitor().post('/token', { ...form, code_verifier: verifier })
  return JSON.parse(atob(JSON.parse(text).id_token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
}

/** An account with an authenticator app, in a browser that is remembered and has signed in by the password alone. */
async function remembered() {
  const person = await withTotp(bench)
  const { email } = person.account
  await person.post('/sign-in', { email, password }, ownForm)
  await person.post('/second-factor', { code: person.code(), remember: 'yes' }, ownForm)
  await person.post('/sign-out', {}, ownForm)
  const answer = await person.post('/sign-in', { email, password, return_to: '/account' }, ownForm)
  if (leadsTo(answer) !== '/account') throw new Error('the device was not remembered')
  return person
}

describe('a sign-in for a client', () => {
  test('names it, knows its hint, and keeps all that through refusals and the second factor', async () => {
    const visitor = await withTotp(bench)
    const { email } = visitor.account
    const page = await open(visitor, requestPath({ login_hint: email }))
    const wrong = await signInAt(visitor, page, email, 'not the password at all')
    const empty = await signInAt(visitor, wrong, '', '')
    expect([page, wrong, empty].map(({ status }) => status)).toEqual([200, 401, 400])
    for (const shown of [page, wrong, empty]) {
      expect(shown.text).toContain('<p>Sign in to continue to <strong><bdi>Reader</bdi></strong>.</p>')
      expect(targetsOf(shown)).toEqual(atReader)
      expect(hiddenFields(shown).return_to).toMatch(/^\/authorize\?handle=/)
    }
    expect(fieldValue(page, 'email')).toBe(email)
    const second = await follow(visitor, await signInAt(visitor, wrong, email))
    const code = (typed: string) => visitor.post('/second-factor', { ...hiddenFields(second), code: typed }, ownForm)
    const [refused, missing] = [await code('000000'), await code('')]
    expect([second, refused, missing].map(({ status }) => status)).toEqual([200, 401, 400])
    for (const shown of [second, refused, missing]) {
      expect(titleOf(shown)).toBe('Confirm it’s you')
      expect(shown.text).toContain('Then you’ll continue to <strong><bdi>Reader</bdi></strong>.')
      expect(targetsOf(shown)).toEqual(atReader)
    }
    const consent = await follow(visitor, await code(visitor.code()))
    expect(titleOf(consent)).toBe('Allow access?')
    expect(answerTo(await decide(visitor, consent, 'allow')).code).toMatch(/^ac_/)
  })

  test('can be in a popup of the client: every page on its path keeps the opener', async () => {
    const visitor = await withTotp(bench)
    const openerOf = ({ headers }: Answer) => headers.get('cross-origin-opener-policy')
    const page = await open(visitor, requestPath())
    const second = await follow(visitor, await signInAt(visitor, page, visitor.account.email))
    const fields = { ...hiddenFields(second), code: visitor.code() }
    const consent = await follow(visitor, await visitor.post('/second-factor', fields, ownForm))
    expect([page, second, consent].map(titleOf)).toEqual(['Sign in', 'Confirm it’s you', 'Allow access?'])
    expect([page, second, consent].map(openerOf)).toEqual([null, null, null])
    for (const path of ['/account', '/device']) expect(openerOf(await visitor.get(path))).toBe('same-origin')
    expect(openerOf(await bench.visitor().get('/sign-in'))).toBe('same-origin')
  })

  test('redirects at once if no question is left', async () => {
    const visitor = await bench.signedIn()
    await decide(visitor, await open(visitor, requestPath()), 'allow')
    await visitor.post('/sign-out', {}, ownForm)
    const page = await open(visitor, requestPath())
    expect(titleOf(page)).toBe('Sign in')
    const answer = await follow(visitor, await signInAt(visitor, page, visitor.account.email))
    expect(answerTo(answer).code).toMatch(/^ac_/)
    // The page is still open in another tab, or the user goes back to it.
    const back = await open(visitor, `/sign-in?return_to=${encodeURIComponent(hiddenFields(page).return_to ?? '')}`)
    expect([back.status, titleOf(back)]).toEqual([400, 'We couldn’t process this request'])
  })

  test('writes a hint as text', async () => {
    const hint = `"><script>alert('1')</script>`
    const page = await open(bench.visitor(), requestPath({ login_hint: hint }))
    expect(page.text).not.toContain('<script>alert')
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"')
  })

  test('does not offer another host for a passkey, because the request would be lost there', async () => {
    const baseUrl = 'http://127.0.0.1:4000'
    const visitor = createAskingBench({ options: { baseUrl } }).visitor()
    Object.assign(visitor.headers, { host: '127.0.0.1:4000' })
    expect((await visitor.get('/sign-in')).text).toContain('http://localhost:4000/sign-in')
    const page = await open(visitor, requestPath())
    expect(page.text).toContain('Sign in to continue to')
    expect(page.text).not.toContain('localhost')
  })

  test('leads to the setup of a required second factor, and allows the client no access before', async () => {
    const strict = createAskingBench({ options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } } })
    const visitor = strict.visitor()
    const { email } = await strict.insert()
    const stepUp = () => visitor.post('/step-up', {}, ownForm)
    expect(leadsTo(await stepUp())).toBe('/sign-in?return_to=%2Faccount')
    const page = await follow(visitor, await signInAt(visitor, await open(visitor, requestPath()), email))
    expect(titleOf(page)).toBe('Your account')
    expect(leadsTo(await stepUp())).toBe('/account')
    expect(titleOf(await open(visitor, requestPath()))).toBe('Your account')
    expect(titleOf(await open(visitor, requestPath({ prompt: 'login', acr_values: secondFactor })))).toBe(
      'Your account',
    )
  })
})

describe('the destination of a sign-in for a client', () => {
  test.each([
    ['the request of another browser', async () => hiddenFields(await open(bench.visitor(), requestPath())).return_to],
    ['a handle that never was', async () => '/authorize?handle=x'],
    ['no handle', async () => '/authorize?client_id=reader'],
    ['another page', async () => '/authorized?handle=x'],
    ['another host', async () => 'https://evil.example/authorize?handle=x'],
    ['another host that looks like a path', async () => '//evil.example/authorize?handle=x'],
  ])('%s names no client, and no form may redirect there', async (_what, pathOf) => {
    const path = (await pathOf()) ?? ''
    const visitor = bench.visitor()
    for (const page of ['/sign-in', '/confirm-password']) {
      const shown = await open(visitor, `${page}?return_to=${encodeURIComponent(path)}`)
      expect([titleOf(shown), targetsOf(shown)]).toEqual(['Sign in', here])
      expect(shown.text).not.toContain('to continue to')
    }
  })

  test.each(['/account', '/authorized', '/authorize/x'])('%s does not continue the request', async (path) => {
    const visitor = bench.visitor()
    const { return_to = '' } = hiddenFields(await open(visitor, requestPath()))
    const other = return_to.replace('/authorize', path)
    const shown = await visitor.get(`/sign-in?return_to=${encodeURIComponent(other)}`)
    expect([hiddenFields(shown).return_to, targetsOf(shown)]).toEqual([other, here])
  })

  test.each(['&x=//evil.example', '#https://evil.example', '&handle=x'])(
    'the request with %j appended redirects only to its page or to an error',
    async (behind) => {
      const visitor = bench.visitor()
      const { email } = await bench.insert()
      const page = await open(visitor, requestPath())
      const return_to = `${hiddenFields(page).return_to}${behind}`
      const answer = await visitor.post('/sign-in', { email, password, return_to }, ownForm)
      expect(leadsTo(answer)).toBe(return_to)
      const { status } = await follow(visitor, answer)
      expect([200, 400]).toContain(status)
    },
  )
})

describe('prompt and max_age', () => {
  test.each([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['max_age', { max_age: '30' }],
  ])('%s requires a signed-in user to sign in again, once, and the client reads the time', async (_what, asked) => {
    const visitor = await bench.signedIn()
    bench.advance(120)
    const session = visitor.jar.get('__Host-session')
    const claims = await claimsOf(visitor, asked, async (page) => {
      expect(titleOf(page)).toBe('Sign in')
      expect(page.text).toContain('Sign in again to continue to <strong><bdi>Reader</bdi></strong>.')
      const wrong = await signInAt(visitor, page, visitor.account.email, 'not the password at all')
      expect([wrong.status, targetsOf(wrong)]).toEqual([401, atReader])
      return follow(visitor, await signInAt(visitor, wrong, visitor.account.email))
    })
    expect(claims.auth_time).toBe(Math.floor(bench.clock.time / 1000))
    expect(visitor.jar.get('__Host-session')).not.toBe(session)
  })

  test('prompt=login lets another account sign in, which the consent then belongs to', async () => {
    const visitor = await bench.signedIn()
    const other = await bench.insert({ name: 'Grace' })
    bench.advance(10)
    const page = await open(visitor, requestPath({ prompt: 'login' }))
    const consent = await follow(visitor, await signInAt(visitor, page, other.email))
    expect(consent.text).toContain(
      `You’re signed in as <strong><bdi>Grace</bdi></strong> (<strong>${other.email}</strong>).`,
    )
  })

  test('the page of consent links to another account, and back', async () => {
    const visitor = await bench.signedIn()
    const other = await bench.insert({ name: 'Grace' })
    const { text } = await open(visitor, requestPath())
    const path = /<a href="([^"]*)">Use another account/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const page = await visitor.get(path)
    expect([page.status, titleOf(page), targetsOf(page)]).toEqual([200, 'Sign in', atReader])
    const consent = await follow(visitor, await signInAt(visitor, page, other.email))
    expect(consent.text).toContain('You’re signed in as <strong><bdi>Grace</bdi></strong>')
    expect(answerTo(await decide(visitor, consent, 'allow')).code).toMatch(/^ac_/)
  })

  test('prompt=login takes a passkey, too', async () => {
    const visitor = await withPasskey(bench)
    const { authenticator } = visitor
    bench.advance(120)
    const claims = await claimsOf(visitor, { prompt: 'login' }, async (page) => {
      const started = await visitor.post('/passkey/start', { step: 'sign-in' }, ownForm)
      const response = JSON.stringify(await authenticator.get(JSON.parse(started.text)))
      const { return_to = '' } = hiddenFields(page)
      const refused = await visitor.post('/passkey', { step: 'sign-in', return_to, response: '{}' }, ownForm)
      expect([refused.status, targetsOf(refused)]).toEqual([401, atReader])
      return follow(visitor, await visitor.post('/passkey', { step: 'sign-in', return_to, response }, ownForm))
    })
    expect(claims).toMatchObject({ auth_time: Math.floor(bench.clock.time / 1000), acr: secondFactor })
  })
})

describe('acr_values', () => {
  const asked = { acr_values: secondFactor }

  test('require the second factor after a sign-in with one factor', async () => {
    const visitor = await remembered()
    const claims = await claimsOf(visitor, asked, async (page) => {
      expect([titleOf(page), targetsOf(page)]).toEqual(['Confirm it’s you', atReader])
      expect(page.text).toContain('<strong><bdi>Reader</bdi></strong> wants you to confirm with your second factor.')
      const second = await follow(visitor, await visitor.post('/step-up', hiddenFields(page), ownForm))
      expect(second.text).toContain('autocomplete="one-time-code"')
      const code = { ...hiddenFields(second), code: visitor.code() }
      return follow(visitor, await visitor.post('/second-factor', code, ownForm))
    })
    expect(claims).toMatchObject({ acr: secondFactor, amr: ['pwd', 'otp', 'mfa'] })
  })

  test('requires it after a sign-in by password alone, too', async () => {
    const visitor = await remembered()
    await visitor.post('/sign-out', {}, ownForm)
    const page = await open(visitor, requestPath(asked))
    expect(titleOf(page)).toBe('Sign in')
    const further = await follow(visitor, await signInAt(visitor, page, visitor.account.email))
    expect([titleOf(further), targetsOf(further)]).toEqual(['Confirm it’s you', atReader])
  })

  test('is satisfied by a sign-in with both factors', async () => {
    const visitor = await withTotp(bench)
    await signInWithBoth(visitor, 'SESSION')
    expect(titleOf(await open(visitor, requestPath(asked)))).toBe('Allow access?')
  })

  test.each([
    ['a signed-in user', true],
    ['a user', false],
  ])('tells %s without a second factor the next step, and continues without it', async (_who, isSignedIn) => {
    const person = await bench.signedIn()
    const visitor = isSignedIn ? person : bench.visitor()
    const claims = await claimsOf(visitor, asked, async (first) => {
      const page = isSignedIn ? first : await follow(visitor, await signInAt(visitor, first, person.account.email))
      expect(titleOf(page)).toBe('Confirm it’s you')
      expect(page.text).toContain('<a href="/account">Set up a second factor</a>')
      expect(page.text).not.toContain('action="/step-up"')
      return open(visitor, /<a href="([^"]*)">Continue without a second factor/.exec(page.text)?.[1] ?? '')
    })
    expect(claims.acr).toBe('urn:latchkey:1fa')
  })

  test('counts a second factor that was set up in the meantime', async () => {
    const visitor = await bench.signedIn()
    const page = await open(visitor, requestPath(asked))
    const started = await visitor.post('/account/totp/start', {}, ownForm)
    expect(started.status).toBe(200)
    const secret = /<code[^>]*>([A-Z2-7 ]+)<\/code>/.exec(started.text)?.[1]?.replaceAll(' ', '') ?? ''
    await visitor.post(
      '/account/totp/confirm',
      { ...hiddenFields(started), code: codeAt(secret, bench.clock.time) },
      ownForm,
    )
    const again = await open(visitor, /<a href="([^"]*)">Continue without a second factor/.exec(page.text)?.[1] ?? '')
    expect(titleOf(again)).toBe('Allow access?')
  })

  test('with prompt=login requires a sign-in, then the second factor', async () => {
    const visitor = await remembered()
    bench.advance(60)
    const page = await open(visitor, requestPath({ ...asked, prompt: 'login' }))
    expect(titleOf(page)).toBe('Sign in')
    const further = await follow(visitor, await signInAt(visitor, page, visitor.account.email))
    expect(further.text).toContain('action="/step-up"')
  })
})

describe('/step-up', () => {
  test('takes a form of a signed-in user only', async () => {
    const visitor = await remembered()
    const forged = await visitor.post('/step-up', {}, { origin: 'https://evil.example' })
    expect([forged.status, forged.cookies]).toEqual([403, []])
    expect(leadsTo(await bench.visitor().post('/step-up', {}, ownForm))).toBe('/sign-in?return_to=%2Faccount')
    expect((await visitor.get('/step-up')).status).toBe(405)
    const answer = await visitor.post('/step-up', { return_to: '//evil.example' }, ownForm)
    expect(leadsTo(answer)).toBe('/second-factor')
  })
})
