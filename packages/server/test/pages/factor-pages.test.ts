import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { codeAt } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createBench, disableApp, password } from '../support/bench.ts'
import { createFactorBench, okData, operations, type Person, withPasskey, withTotp } from '../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../support/forms.ts'
import type { Visitor } from '../support/visitor.ts'

const bench = createFactorBench()
const namesOf = (cookies: readonly string[]) => cookies.map((line) => line.split('=', 1)[0])
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}) =>
  visitor.post(path, fields, ownForm)

/** Sends the password of an account by the page. */
const sendPassword = (visitor: Visitor, email: string, returnTo = '/account') =>
  send(visitor, '/sign-in', { email, password, return_to: returnTo })
const sendCode = (visitor: Visitor, code: string) => send(visitor, '/second-factor', { code, return_to: '/account' })

/** An account with an authenticator app that is signed in by the pages. */
async function signedInByPages(): Promise<Person> {
  const person = await withTotp(bench)
  await sendPassword(person, person.account.email)
  expect((await sendCode(person, person.code())).status).toBe(303)
  return person
}

describe('a sign-in with a second factor', () => {
  test('sets only the challenge after the password, and redirects to the page for the code', async () => {
    const person = await withTotp(bench)
    const answer = await sendPassword(person, person.account.email)
    expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([
      303,
      '/second-factor?return_to=%2Faccount',
      '',
    ])
    expect(answer.cookies).toEqual([
      expect.stringMatching(/^__Host-challenge=[^;]+; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ])
    expect(await isSignedIn(person)).toBe(false)
    const page = await person.get('/second-factor?return_to=%2Faccount')
    expect([page.status, titleOf(page), fieldValue(page, 'return_to')]).toEqual([200, 'Confirm it’s you', '/account'])
    expect(page.text).toContain('<p>Your password is correct. Now confirm with your second factor.</p>')
    expect(page.text).toMatch(/id="code" name="code" type="text" autocomplete="one-time-code" inputmode="text"/)
    expect(page.text).not.toContain(person.jar.get('__Host-challenge')?.split('!').at(-1))
    expect(page.text).not.toContain('<script')
  })

  test.each(['the code of the app', 'a recovery code'])('is finished by %s', async (what) => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    const code = what === 'a recovery code' ? (person.codes[0] ?? '') : person.code()
    const answer = await sendCode(person, code)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    expect(namesOf(answer.cookies)).toEqual(['__Host-session', '__Host-device', '__Host-challenge'])
    expect([...person.jar.keys()]).toEqual(['__Host-session', '__Host-device'])
    expect(await isSignedIn(person)).toBe(true)
  })

  test.each([
    ['a wrong code', '000000', 401],
    ['letters', 'not a code', 401],
    ['no code', '', 400],
    ['a very long one', '1'.repeat(4000), 401],
  ])('stays on its page after %s', async (_what, code, status) => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    const answer = await sendCode(person, code)
    expect([answer.status, titleOf(answer), answer.cookies]).toEqual([status, 'Confirm it’s you', []])
    expect(answer.text).toMatch(/name="code"[^>]* aria-invalid="true" aria-describedby="problem code-hint" autofocus>/)
    expect(fieldValue(answer, 'return_to')).toBe('/account')
    expect(await isSignedIn(person)).toBe(false)
    expect((await sendCode(person, person.code())).status).toBe(303)
  })

  test('accepts five wrong codes, then refuses the right code', async () => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    for (let tries = 0; tries < 5; tries++) expect((await sendCode(person, '000000')).status).toBe(401)
    const late = await sendCode(person, person.code())
    expect([late.status, late.cookies, await isSignedIn(person)]).toEqual([401, [], false])
  })

  test('takes a code once, and a challenge once', async () => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    const challenge = person.jar.get('__Host-challenge') ?? ''
    const code = person.code()
    expect((await sendCode(person, code)).status).toBe(303)
    const other = bench.visitor()
    other.jar.set('__Host-challenge', challenge)
    expect((await sendCode(other, person.code())).status).toBe(401)
    await sendPassword(other, person.account.email)
    expect((await sendCode(other, code)).status).toBe(401)
    expect(await isSignedIn(other)).toBe(false)
  })

  test('is over after five minutes', async () => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    bench.advance(301)
    expect((await sendCode(person, person.code())).status).toBe(401)
  })

  test.each([
    ['nothing', null],
    ['an empty cookie', ''],
    ['two cookies', 'a; __Host-challenge=b'],
  ])('redirects to the sign-in with %s in place of a challenge', async (_what, value) => {
    const headers: Record<string, string> = value === null ? {} : { cookie: `__Host-challenge=${value}` }
    const shown = await bench.visitor().get('/second-factor?return_to=%2Faccount', headers)
    const sent = await bench.visitor().post('/second-factor', { code: '123456', return_to: '/account' }, headers)
    for (const answer of [shown, sent]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?return_to=%2Faccount'])
    }
  })

  test.each(['__Host-session', '__Host-refresh', '__Host-device', '__Host-sign-up'])(
    'grants no access by its challenge as %s',
    async (name) => {
      const person = await withTotp(bench)
      await sendPassword(person, person.account.email)
      const value = person.jar.get('__Host-challenge') ?? ''
      const challenge = value.split('!').at(-1) ?? ''
      for (const shown of [value, challenge]) {
        const thief = bench.visitor()
        thief.jar.set(name, shown)
        expect(await isSignedIn(thief)).toBe(false)
        expect((await thief.ask('{ viewer { id } }')).status).toBe(401)
        expect((await thief.ask('mutation { refresh { accessToken } }')).data?.refresh).toBeUndefined()
        const bearer = Object.assign(bench.visitor(), { bearer: shown })
        expect((await bearer.ask('{ viewer { id } }')).status).toBe(401)
      }
    },
  )

  test('redirects to paths of this service only', async () => {
    const person = await withTotp(bench)
    expect((await sendPassword(person, person.account.email, '//evil.example')).headers.get('location')).toBe(
      '/second-factor',
    )
    const answer = await send(person, '/second-factor', { code: person.code(), return_to: 'https://evil.example' })
    expect(answer.headers.get('location')).toBe('/account')
  })
})

const shown = ['/account/totp', '/account/passkeys', '/account/recovery-codes', '/confirm-password']
const forms = [
  '/account/totp/start',
  '/account/totp/confirm',
  '/account/totp/remove',
  '/account/recovery-codes',
  '/account/passkeys/start',
  '/account/passkeys/add',
  '/account/passkeys/rename',
  '/account/passkeys/remove',
  '/confirm-password',
]

describe('the pages of second factors', () => {
  test.each(shown)('%s redirects to the sign-in and back without a session', async (path) => {
    const answer = await bench.visitor().get(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(path)}`,
    ])
  })

  const filled = { code: '123456', name: 'x', id: 'x', response: '{}', password: 'x' }

  test.each(forms)('the form %s has no effect without a sign-in', async (path) => {
    const answer = await send(bench.visitor(), path, filled)
    expect([answer.status, answer.headers.get('location'), answer.cookies]).toEqual([
      303,
      '/sign-in?return_to=%2Faccount',
      [],
    ])
  })

  test.each([...forms, '/second-factor', '/passkey', '/passkey/start'])(
    'a forged form to %s is refused without changes',
    async (path) => {
      const person = await withTotp(bench)
      await sendPassword(person, person.account.email)
      await sendCode(person, person.code())
      const before = await bench.stores.documents?.listByOwner(person.account.id)
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const answer = await person.post(path, { ...filled, code: person.code() }, headers)
        expect([answer.status, titleOf(answer), answer.cookies]).toEqual([403, 'Request blocked', []])
      }
      expect(await bench.stores.documents?.listByOwner(person.account.id)).toEqual(before)
      expect(await isSignedIn(person)).toBe(true)
    },
  )

  test.each([
    ...shown.slice(0, 2),
    ...forms.filter((path) => /totp|passkeys/.test(path)),
    '/passkey',
    '/passkey/start',
  ])('%s is 404 if the service does not offer the factor', async (path) => {
    const without = createBench()
    const visitor = await without.signedIn()
    for (const answer of [await visitor.get(path), await send(visitor, path, filled)]) {
      expect([404, 405]).toContain(answer.status)
    }
    const account = await visitor.get('/account')
    expect(account.text).not.toMatch(/\/account\/(?:totp|passkeys|recovery-codes)/)
    expect((await visitor.get('/sign-in', { cookie: '' })).text).not.toContain('passkey')
  })

  test('an app is set up: the secret is shown once and never cached, a code confirms it, and the codes come once', async () => {
    const visitor = await bench.signedIn()
    const started = await send(visitor, '/account/totp/start')
    expect([started.status, titleOf(started), started.headers.get('cache-control')]).toEqual([
      200,
      'Set up authenticator app',
      'no-store',
    ])
    expect(started.text).toMatch(/<img class="qr" src="data:image\/svg\+xml,%3C/)
    expect(started.text).toContain('<a href="/account">Back to your account</a>')
    const secret = /aria-label="Setup key">([A-Z2-7 ]+)</.exec(started.text)?.[1]?.replaceAll(' ', '') ?? ''
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    const wrong = await send(visitor, '/account/totp/confirm', { code: '000000' })
    expect([wrong.status, wrong.cookies, wrong.text.includes(secret)]).toEqual([401, [], false])
    expect((await send(visitor, '/account/totp/confirm')).status).toBe(400)
    const old = visitor.jar.get('__Host-session')
    const confirmed = await send(visitor, '/account/totp/confirm', { code: codeAt(secret, bench.clock.time) })
    expect([confirmed.status, titleOf(confirmed)]).toEqual([200, 'Save your recovery codes'])
    expect(confirmed.text.match(/\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b/g)).toHaveLength(10)
    expect(visitor.jar.get('__Host-session')).not.toBe(old)
    expect(await isSignedIn(visitor)).toBe(true)
    const thief = bench.visitor()
    thief.jar.set('__Host-session', old ?? '')
    expect(await isSignedIn(thief)).toBe(false)
  })

  test('an app is confirmed only in the session that started it', async () => {
    const visitor = await bench.signedIn()
    const other = bench.visitor()
    await sendPassword(other, visitor.account.email)
    const started = await send(visitor, '/account/totp/start')
    const secret = /aria-label="Setup key">([A-Z2-7 ]+)</.exec(started.text)?.[1]?.replaceAll(' ', '') ?? ''
    const code = codeAt(secret, bench.clock.time)
    const refused = await send(other, '/account/totp/confirm', { code })
    expect([refused.status, refused.cookies]).toEqual([401, []])
    expect((await bench.visitor().signIn(visitor.account.email, password)).data.signIn.status).toBe('SIGNED_IN')
    expect((await send(visitor, '/account/totp/confirm', { code })).status).toBe(200)
  })

  test('an app is removed only by a code', async () => {
    const person = await signedInByPages()
    expect((await send(person, '/account/totp/remove')).status).toBe(400)
    expect((await send(person, '/account/totp/remove', { code: '000000' })).status).toBe(401)
    expect((await person.get('/account')).text).toMatch(/Authenticator app<\/a>: set up on <time/)
    const done = await send(person, '/account/totp/remove', { code: person.code() })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
    expect((await person.get('/account')).text).toContain('Authenticator app</a>: not set up')
  })

  test('new recovery codes need a code of the app, and void the old codes', async () => {
    const person = await signedInByPages()
    expect((await send(person, '/account/recovery-codes')).status).toBe(400)
    expect((await send(person, '/account/recovery-codes', { code: '000000' })).status).toBe(401)
    const done = await send(person, '/account/recovery-codes', { code: person.code() })
    expect([done.status, titleOf(done)]).toEqual([200, 'Save your recovery codes'])
    const other = bench.visitor()
    await sendPassword(other, person.account.email)
    expect((await sendCode(other, person.codes[1] ?? '')).status).toBe(401)
  })

  test('recovery codes cannot be replaced before the first factor', async () => {
    const visitor = await bench.signedIn()
    for (const answer of [
      await visitor.get('/account/recovery-codes'),
      await send(visitor, '/account/recovery-codes'),
    ]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    }
  })
})

describe('a fresh proof', () => {
  const asking = [
    ['/account/totp/start', '/account/totp', true],
    ['/account/passkeys/start', '/account/passkeys', false],
    ['/account/passkeys/remove', '/account/passkeys', true],
  ] as const

  test.each(asking)('%s requires the second factor after 300 seconds, without changes', async (path, home, isLost) => {
    const person = await signedInByPages()
    bench.advance(301)
    const answer = await send(person, path, { name: 'Laptop', id: 'x' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/second-factor?return_to=${encodeURIComponent(home)}`,
    ])
    expect(namesOf(answer.cookies)).toEqual(['__Host-challenge'])
    const kinds = person.jar.get('__Host-challenge')?.split('!').slice(0, -1)
    expect(kinds).toEqual(isLost ? ['totp', 'recovery-code'] : ['totp'])
    const old = person.jar.get('__Host-session')
    const done = await send(person, '/second-factor', { code: person.code(), return_to: home })
    expect([done.status, done.headers.get('location')]).toEqual([303, home])
    expect(person.jar.get('__Host-session')).not.toBe(old)
    expect((await send(person, path, { name: 'Laptop', id: 'x' })).status).not.toBe(303)
  })

  test.each(asking)('%s requires the password if there is no second factor', async (path, home) => {
    const visitor = await bench.signedIn()
    bench.advance(301)
    const answer = await send(visitor, path, { name: 'Laptop', id: 'x' })
    expect([answer.status, answer.headers.get('location'), answer.cookies]).toEqual([
      303,
      `/confirm-password?return_to=${encodeURIComponent(home)}`,
      [],
    ])
    expect((await send(visitor, '/confirm-password', { return_to: home })).status).toBe(400)
    const wrong = await send(visitor, '/confirm-password', { password: 'not the password', return_to: home })
    expect([wrong.status, wrong.cookies]).toEqual([401, []])
    expect((await send(visitor, path, { name: 'Laptop', id: 'x' })).status).toBe(303)
    const done = await send(visitor, '/confirm-password', { password, return_to: home })
    expect([done.status, done.headers.get('location')]).toEqual([303, home])
    expect((await send(visitor, path, { name: 'Laptop', id: 'x' })).status).not.toBe(303)
  })

  test('the password is no fresh proof if there is a second factor', async () => {
    const person = await signedInByPages()
    bench.advance(301)
    await send(person, '/confirm-password', { password })
    expect((await send(person, '/account/passkeys/start', { name: 'Laptop' })).headers.get('location')).toBe(
      '/second-factor?return_to=%2Faccount%2Fpasskeys',
    )
  })

  test('is accepted only in the session that requested it', async () => {
    const [person, other] = [await signedInByPages(), await bench.signedIn()]
    bench.advance(301)
    await send(person, '/account/totp/start')
    for (const thief of [other, bench.visitor()]) {
      thief.jar.set('__Host-challenge', person.jar.get('__Host-challenge') ?? '')
      const answer = await sendCode(thief, person.code())
      expect([answer.status, answer.cookies]).toEqual([401, []])
    }
  })
})

describe('a passkey', () => {
  const start = async (visitor: Visitor, step = 'sign-in') => {
    const answer = await send(visitor, '/passkey/start', { step })
    return { answer, options: JSON.parse(answer.text) }
  }

  test('is added by the pages, with its name as text', async () => {
    const visitor = await bench.signedIn()
    const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const page = await send(visitor, '/account/passkeys/start', { name: 'Ada\'s <b>"laptop"' })
    expect([page.status, titleOf(page)]).toEqual([200, 'Create your passkey'])
    expect(page.text).toContain('value="Ada&#39;s &lt;b&gt;&quot;laptop&quot;"')
    const policy = page.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([\w-]+)';/.exec(policy)?.[1]
    expect(page.text.match(/<script/g)).toHaveLength(1)
    expect(page.text).toContain(`<script nonce="${nonce}">`)
    const written = /data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const response = JSON.stringify(await authenticator.create(JSON.parse(written)))
    const added = await send(visitor, '/account/passkeys/add', { name: 'Ada\'s <b>"laptop"', response })
    expect([added.status, titleOf(added)]).toEqual([200, 'Save your recovery codes'])
    const list = await visitor.get('/account/passkeys')
    expect(list.text).toContain('Ada&#39;s &lt;b&gt;&quot;laptop&quot;</strong>')
    expect((await send(visitor, '/account/passkeys/add', { name: 'Again', response })).status).toBe(400)
  })

  test.each([
    ['without a name', ''],
    ['with blanks for a name', '   '],
    ['with a name that is too long', 'x'.repeat(65)],
  ])('is not registered %s', async (_what, name) => {
    const visitor = await bench.signedIn()
    const answer = await send(visitor, '/account/passkeys/start', { name })
    expect([answer.status, titleOf(answer)]).toEqual([400, 'Passkeys'])
  })

  test('signs in alone', async () => {
    const { authenticator } = await withPasskey(bench)
    const visitor = bench.visitor()
    const { answer, options } = await start(visitor)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ])
    const response = JSON.stringify(await authenticator.get(options))
    const done = await send(visitor, '/passkey', { step: 'sign-in', response, return_to: '/account' })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
    expect(await isSignedIn(visitor)).toBe(true)
    const thief = bench.visitor()
    const again = await send(thief, '/passkey', { step: 'sign-in', response, return_to: '/account' })
    expect([again.status, titleOf(again), again.cookies]).toEqual([401, 'Sign in', []])
  })

  test('shows new recovery codes in place of an app that is disabled', async () => {
    const visitor = await bench.signedIn()
    await send(visitor, '/account/totp/start')
    const { secret } = okData(await visitor.ask(operations.enroll)).startTotpEnrollment
    await send(visitor, '/account/totp/confirm', { code: codeAt(secret, bench.clock.time) })
    const authenticator = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const page = await send(visitor, '/account/passkeys/start', { name: 'Laptop' })
    const written = /data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const response = JSON.stringify(await authenticator.create(JSON.parse(written)))
    expect((await send(visitor, '/account/passkeys/add', { name: 'Laptop', response })).status).toBe(303)
    await disableApp(bench.stores, visitor.account.id)
    expect((await visitor.get('/account/recovery-codes')).text).not.toContain('name="code"')
    const done = await send(visitor, '/account/recovery-codes')
    expect([done.status, titleOf(done)]).toEqual([200, 'Save your recovery codes'])
  })

  test('is the second factor after the password, of the same account only', async () => {
    const [owner, other] = [await withPasskey(bench), await withPasskey(bench)]
    const visitor = bench.visitor()
    await sendPassword(visitor, owner.account.email)
    const foreign = JSON.stringify(await other.authenticator.get((await start(visitor)).options))
    const refused = await send(visitor, '/passkey', { step: 'second-factor', response: foreign })
    expect([refused.status, titleOf(refused), refused.cookies]).toEqual([401, 'Confirm it’s you', []])
    const { options } = await start(visitor, 'second-factor')
    const response = JSON.stringify(await owner.authenticator.get(options))
    const done = await send(visitor, '/passkey', { step: 'second-factor', response, return_to: '/account' })
    expect([done.status, visitor.jar.has('__Host-challenge')]).toEqual([303, false])
    expect((await visitor.get('/account')).text).toContain(owner.account.email)
  })

  test.each(['', '{}', 'null', '{', '[]', '"x"', '{"id":1}', '{"__proto__":{}}', `[${'['.repeat(3000)}`])(
    'is refused with the response %j',
    async (response) => {
      const visitor = bench.visitor()
      const answer = await send(visitor, '/passkey', { step: 'sign-in', response: response.slice(0, 3000) })
      expect([answer.status, titleOf(answer), answer.cookies]).toEqual([401, 'Sign in', []])
      const holder = await bench.signedIn()
      expect((await send(holder, '/account/passkeys/add', { name: 'x', response })).status).toBe(400)
      expect(await isSignedIn(holder)).toBe(true)
    },
  )

  test('needs an existing challenge', async () => {
    const visitor = bench.visitor()
    const none = await send(visitor, '/passkey', { step: 'second-factor', response: '{}', return_to: '/account' })
    expect([none.status, none.headers.get('location')]).toEqual([303, '/sign-in?return_to=%2Faccount'])
    visitor.jar.set('__Host-challenge', 'passkey!made-up')
    expect((await start(visitor, 'second-factor')).answer.status).toBe(401)
  })

  test('is renamed by its owner only', async () => {
    const [owner, other] = [await withPasskey(bench), await withPasskey(bench)]
    const rename = (visitor: Visitor, name: string) =>
      send(visitor, '/account/passkeys/rename', { id: owner.passkeyId, name })
    expect((await rename(other, 'Theirs')).status).toBe(400)
    const refused = await rename(owner, 'x'.repeat(65))
    expect([refused.status, refused.text.match(/Enter a name of 1 to 64 characters/g)?.length]).toEqual([400, 1])
    expect(refused.text).toMatch(
      new RegExp(`<details open>[^]*id="new-name-${owner.passkeyId}"[^>]* aria-invalid="true"`),
    )
    expect((await owner.get('/account/passkeys')).text).toContain('>Laptop</strong>')
    const done = await rename(owner, '<Watch>')
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account/passkeys'])
    expect((await owner.get('/account/passkeys')).text).toContain('>&lt;Watch&gt;</strong>')
  })

  test('is removed by its owner only', async () => {
    const [owner, other] = [await withPasskey(bench), await withPasskey(bench)]
    expect((await send(other, '/account/passkeys/remove', { id: owner.passkeyId })).status).toBe(400)
    expect((await owner.get('/account/passkeys')).text).toContain('Laptop')
    const done = await send(owner, '/account/passkeys/remove', { id: owner.passkeyId })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/account/passkeys'])
    expect((await owner.get('/account/passkeys')).text).toContain('You don’t have any passkeys yet.')
  })
})
