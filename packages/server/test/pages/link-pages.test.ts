import { PasswordError } from '@latchkey/password'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createBench, newPassword, password, passwords } from '../support/bench.ts'
import { fieldValue, titleOf } from '../support/forms.ts'
import { type Answer, ownPage } from '../support/visitor.ts'

const bench = createBench()
let drawn = 0
let email: string
beforeEach(() => {
  email = `ada${++drawn}@example.com`
})

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'

async function verifyToken(): Promise<string> {
  await bench.visitor().ask(signUp, { input: { email, password, name: 'Ada' } })
  return bench.mailedToken(email)
}

async function resetToken(to: string): Promise<string> {
  await bench.visitor().ask(`mutation { requestPasswordReset(input: { email: "${to}" }) }`)
  return bench.mailedToken(to)
}

const fieldOf = (answer: Answer) => fieldValue(answer, 'token')

/** What a browser sends when a user follows a link in a web mail. */
const fromMail = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}
/** What it sends with the form of that page. */
const ownForm = { ...fromMail, origin: 'https://example.com', 'sec-fetch-site': 'same-origin' }

describe('/verify', () => {
  test('confirms only by the button, not when a mail program opens the link', async () => {
    const token = await verifyToken()
    const visitor = bench.visitor()
    const page = await visitor.get(`/verify?token=${encodeURIComponent(token)}`, fromMail)
    expect([page.status, titleOf(page), fieldOf(page)]).toEqual([200, 'Confirm your email', token])
    expect(await bench.stores.accounts.getByEmail(email)).toBeNull()
    const done = await visitor.post('/verify', { token, password }, ownForm)
    expect([done.status, titleOf(done)]).toEqual([200, 'Email confirmed'])
    expect((await visitor.signIn(email, password)).status).toBe(200)
    const again = await visitor.post('/verify', { token }, ownForm)
    expect([again.status, titleOf(again)]).toEqual([400, 'This link no longer works'])
  })

  test('names the account and the address before they are confirmed, as text', async () => {
    const name = 'Ada <b>"&'
    await bench.visitor().ask(signUp, { input: { email, password, name } })
    const page = await bench.visitor().get(`/verify?token=${await bench.mailedToken(email)}`, fromMail)
    expect(page.text).toContain(`“<strong>Ada &lt;b&gt;&quot;&amp;</strong>” for <strong>${email}</strong>`)
    expect(page.text).not.toContain(name)
  })

  test('requires the password in another browser only: the browser of the sign-up has kept it', async () => {
    const [own, other] = [bench.visitor(), bench.visitor()]
    const asked = await own.ask(signUp, { input: { email, password, name: 'Ada' } })
    expect(asked.cookies).toEqual([
      expect.stringMatching(/^__Host-sign-up=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
    const token = await bench.mailedToken(email)
    const hasField = async (visitor: typeof own) => (await visitor.get(`/verify?token=${token}`, fromMail)).text
    expect(await hasField(other)).toMatch(
      /<input id="password" name="password" type="password" autocomplete="current-password"/,
    )
    expect(await hasField(own)).not.toContain('type="password"')
    const done = await own.post('/verify', { token }, ownForm)
    expect([done.status, done.text.includes('Your account is ready. You can now sign in.')]).toEqual([200, true])
    expect((await other.signIn(email, password)).status).toBe(200)
  })

  test.each([
    ['left empty', ''],
    ['another one', newPassword],
  ])('creates the account without a password if it is %s, tells so, and mails a link', async (_what, shown) => {
    const token = await verifyToken()
    const done = await bench.visitor().post('/verify', { token, password: shown }, ownForm)
    expect([done.status, titleOf(done)]).toEqual([200, 'Email confirmed'])
    expect(done.text).toContain('have a password yet')
    expect((await bench.visitor().signIn(email, password)).status).toBe(401)
    const choose = await bench.mailedToken(email)
    expect((await bench.visitor().post('/reset', { token: choose, password: newPassword }, ownForm)).status).toBe(200)
    expect((await bench.visitor().signIn(email, newPassword)).status).toBe(200)
  })

  test('is shown to a signed-in user, although the link is opened from another site', async () => {
    const visitor = await bench.signedIn()
    expect((await visitor.get(`/verify?token=${await verifyToken()}`, fromMail)).status).toBe(200)
  })
})

describe('/reset', () => {
  test('sets the password, and tells that all devices are signed out', async () => {
    const visitor = await bench.signedIn()
    const token = await resetToken(visitor.account.email)
    const page = await visitor.get(`/reset?token=${token}`, fromMail)
    expect([page.status, titleOf(page), fieldOf(page)]).toEqual([200, 'Choose a new password', token])
    const done = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    const device = expect.stringMatching(/^__Host-device=[^;]+; Max-Age=15552000; /)
    expect([done.status, titleOf(done), done.cookies]).toEqual([200, 'Password changed', [device]])
    expect((await visitor.ask('{ viewer { id } }')).status).toBe(401)
    const again = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    expect([again.status, titleOf(again)]).toEqual([400, 'This link no longer works'])
  })

  test('tells the reason for a refused password, accessibly for screen readers, and keeps the link', async () => {
    const { email: to } = await bench.insert()
    const token = await resetToken(to)
    const refused = await bench.visitor().post('/reset', { token, password: 'short' })
    expect([refused.status, fieldOf(refused)]).toEqual([400, token])
    expect(refused.text).toContain(
      '<p class="problem" id="problem" role="alert">This password is too short. Use at least 15 ',
    )
    expect(refused.text).toContain('aria-invalid="true" aria-describedby="problem password-hint"')
    expect((await bench.visitor().post('/reset', { token, password: newPassword })).status).toBe(200)
  })

  test('answers 503 while too many passwords wait', async () => {
    const { email: to } = await bench.insert()
    const token = await resetToken(to)
    const overloaded = createBench({
      beside: bench,
      options: {
        signIn: {
          passwordHasher: {
            ...passwords,
            hash: async () => Promise.reject(new PasswordError('PASSWORD_HASHER_UNAVAILABLE', 'x', 7)),
          },
        },
      },
    })
    const answer = await overloaded.visitor().post('/reset', { token, password: newPassword })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
    expect((await bench.visitor().post('/reset', { token, password: newPassword })).status).toBe(200)
  })
})

describe.each(['/verify', '/reset'])('%s', (path) => {
  const dead = [400, 'This link no longer works', undefined]
  const tokenOf = async () => (path === '/verify' ? verifyToken() : resetToken((await bench.insert()).email))
  const show = async (token: string) => {
    const answer = await bench.visitor().get(`${path}?token=${encodeURIComponent(token)}`)
    return [answer.status, titleOf(answer), fieldOf(answer)]
  }

  test('tells at once that a link was used, has expired or has another purpose', async () => {
    const token = await tokenOf()
    expect(await show(token)).toEqual([200, expect.any(String), token])
    expect((await bench.visitor().post(path, { token, password: newPassword })).status).toBe(200)
    expect(await show(token)).toEqual(dead)
    expect(
      await show(path === '/reset' ? await verifyToken() : await resetToken((await bench.insert()).email)),
    ).toEqual(dead)
    email = `late${drawn}@example.com`
    const late = await tokenOf()
    bench.advance(25 * 60 * 60)
    expect(await show(late)).toEqual(dead)
  })

  test('is shown any number of times, and the link works after that', async () => {
    const token = await tokenOf()
    for (let times = 0; times < 3; times++) expect(await show(token)).toEqual([200, expect.any(String), token])
    expect((await bench.visitor().post(path, { token, password: newPassword })).status).toBe(200)
  })

  test('responds alike for every address, with or without an account', async () => {
    const withAccount = await bench.insert()
    await bench
      .visitor()
      .ask('mutation ($e: String!) { requestPasswordReset(input: { email: $e }) }', { e: withAccount.email })
    await bench.mailedToken(withAccount.email)
    const unknown = `${path.slice(1)}_${'A'.repeat(22)}.${'A'.repeat(43)}`
    expect(await show(unknown)).toEqual(dead)
    expect(await show(`${unknown}A`)).toEqual(dead)
  })

  test('has no script, a policy that allows only the nonce of its style, and is never cached', async () => {
    const link = `${path}?token=${await tokenOf()}`
    const [first, second] = [await bench.visitor().get(link), await bench.visitor().get(link)]
    const policy = first.headers.get('content-security-policy') ?? ''
    const nonce = /style-src 'nonce-([\w-]{22})'/.exec(policy)?.[1]
    expect(first.text).toContain(`<style nonce="${nonce}">`)
    expect(first.text).not.toMatch(/<script|\son\w+=|style="|https?:/)
    // Else browsers ask for /favicon.ico, with the address of the page, and so its token, in Referer.
    expect(first.text).toContain('<link rel="icon" href="data:,">')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(second.headers.get('content-security-policy')).not.toBe(policy)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'strict-transport-security': expect.stringContaining('max-age='),
    })
  })

  test.each(['"><script>alert(1)</script>', "' onfocus='alert(1)", 'a&amp;b', '\0\u202e\ud800', 'garbage'])(
    'shows no part of the invalid token %j',
    async (token) => {
      expect(await show(token.toWellFormed())).toEqual(dead)
    },
  )

  test('shows no part of any text that is no token', async () => {
    const { text: plain } = await bench.visitor().get(`${path}?token=t`)
    const bare = (text: string) => text.replace(/nonce="[^"]*"/, '')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1 }), async (token) => {
        const answer = await bench.visitor().get(`${path}?token=${encodeURIComponent(token)}`)
        expect([answer.status, bare(answer.text)]).toEqual([400, bare(plain)])
      }),
    )
  })

  test.each(['?token', '?token=', '?token=&email=a@example.com'])('tells that a token is empty: %j', async (query) => {
    const answer = await bench.visitor().get(`${path}${query}`)
    expect([answer.status, titleOf(answer)]).toEqual([400, 'This link no longer works'])
  })

  test.each(['', '?', '?TOKEN=x', '?&&&', '?other=1'])('without a token is no link: %j', async (query) => {
    const answer = await bench.visitor().get(`${path}${query}`)
    expect([answer.status, titleOf(answer)]).toEqual(
      path === '/reset' ? [200, 'Reset your password'] : [400, 'This link no longer works'],
    )
  })

  test.each([
    '?token=%',
    '?token=%ff',
    '?token=a&token=b',
    `?token=${'x'.repeat(5000)}`,
    '?token=a?b#c',
    '?token=a/../../b',
  ])('is not confused by %j', async (query) => {
    const answer = await bench.visitor().get(`${path}${query}`)
    expect([answer.status, titleOf(answer), answer.text.includes('<form')]).toEqual([...dead.slice(0, 2), false])
  })

  test('answers HEAD without a body', async () => {
    for (const [token, status] of [
      [await tokenOf(), 200],
      ['t', 400],
    ] as const) {
      const request = new Request(`https://example.com${path}?token=${token}`, { method: 'HEAD' })
      const response = await bench.server.fetch(request)
      expect([response.status, await response.text()]).toEqual([status, ''])
    }
  })

  test.each([
    ['another site', { ...ownPage, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a sibling of the same site', { ...ownPage, origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin', { origin: 'null' }],
  ])('refuses a form that was sent by %s, and the link stays valid', async (_who, headers) => {
    const { email: to } = await bench.insert()
    const token = path === '/verify' ? await verifyToken() : await resetToken(to)
    const refused = await bench.visitor().post(path, { token, password: newPassword }, headers)
    expect([refused.status, titleOf(refused)]).toEqual([403, 'Request blocked'])
    expect((await bench.visitor().post(path, { token, password: newPassword }, ownForm)).status).toBe(200)
  })

  test.each([
    ['a token that stands twice', (token: string) => `token=x&token=${token}`, 'application/x-www-form-urlencoded'],
    ['a body that says to be JSON', (token: string) => `token=${token}`, 'application/json'],
    ['a body that says to be plain text', (token: string) => `token=${token}`, 'text/plain'],
    [
      'more than a form has',
      (token: string) => `token=${token}&x=${'x'.repeat(8200)}`,
      'application/x-www-form-urlencoded',
    ],
  ])('refuses %s, and the link stays valid', async (_what, bodyOf, type) => {
    const { email: to } = await bench.insert()
    const token = path === '/verify' ? await verifyToken() : await resetToken(to)
    const body = `${bodyOf(token)}&password=${newPassword}`
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    expect((await bench.server.fetch(new Request(`https://example.com${path}`, init))).status).toBe(400)
    expect((await bench.visitor().post(path, { token, password: newPassword })).status).toBe(200)
  })

  test.each([
    ['an unknown token', 'token=unknown', 'application/x-www-form-urlencoded'],
    ['no token', '', 'application/x-www-form-urlencoded'],
    ['two tokens', 'token=a&token=b', 'application/x-www-form-urlencoded'],
    ['broken escapes', 'token=%%%&%', 'application/x-www-form-urlencoded'],
    ['bytes that are no text', new Uint8Array([255, 254, 253]), 'application/x-www-form-urlencoded'],
    ['too much', `token=${'x'.repeat(10_000)}`, 'application/x-www-form-urlencoded'],
    ['JSON', '{"token":"a"}', 'application/json'],
    ['a form of another kind', 'token=a', 'text/plain'],
    ['no content type', 'token=a', ''],
  ])('answers %s with a page', async (_what, body, type) => {
    const response = await bench.server.fetch(
      new Request(`https://example.com${path}`, { method: 'POST', body, headers: { 'content-type': type } }),
    )
    expect([response.status, (await response.text()).includes('This link no longer works')]).toEqual([400, true])
  })
})
