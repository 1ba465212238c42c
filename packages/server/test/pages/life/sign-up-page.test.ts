import { PasswordError } from '@latchkey/password'
import { describe, expect, test } from 'vitest'
import { createBench, password, passwords } from '../../support/bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import type { Answer } from '../../support/visitor.ts'
import { createComparingBench } from './answered-alike.ts'

const bench = createBench()
let drawn = 0
const freeAddress = () => `ada-${++drawn}@example.org`
const titled = (answer: Answer) => [answer.status, titleOf(answer)]
const sent = [200, 'Check your email']
const send = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = ownForm) =>
  bench.visitor().post('/sign-up', fields, headers)
const requested = () => bench.events.filter(({ type }) => type === 'sign-up.requested').length

describe('/sign-up', () => {
  test('requests name, address and password with the names that password managers know', async () => {
    const page = await bench.visitor().get('/sign-up')
    expect(titled(page)).toEqual([200, 'Create an account'])
    for (const [name, type, autocomplete] of [
      ['name', 'text', 'name'],
      ['email', 'email', 'email'],
      ['password', 'password', 'new-password'],
    ]) {
      expect(page.text).toMatch(
        new RegExp(`name="${name}" type="${type}" autocomplete="${autocomplete}"[^>]* required`),
      )
    }
    expect(page.text).toMatch(/name="name"[^>]* autocapitalize="words"/)
    expect(page.text).toMatch(/name="email"[^>]* autocapitalize="none"/)
    expect(page.text).not.toMatch(/<script|value="/)
  })

  test('opens the account that the link of the mail confirms in this browser, and signs in with its password', async () => {
    const email = freeAddress()
    const visitor = bench.visitor()
    const answer = await visitor.post('/sign-up', { name: 'Ada', email, password }, ownForm)
    expect([...titled(answer), answer.cookies]).toEqual([
      ...sent,
      [expect.stringMatching(/^__Host-sign-up=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/)],
    ])
    expect(await bench.stores.accounts.getByEmail(email)).toBeNull()
    const token = await bench.mailedToken(email)
    const done = await visitor.post('/verify', { token }, ownForm)
    expect([done.status, done.text.includes('Your account is ready. You can now sign in.')]).toEqual([200, true])
    expect((await visitor.post('/sign-in', { email, password, return_to: '/account' }, ownForm)).status).toBe(303)
    expect((await visitor.get('/account')).text).toContain('<strong>Ada</strong>')
  })

  test('is answered with the same bytes after the same work, whether or not the address is taken', async () => {
    const at = createComparingBench()
    const fields = (email: string) => ({ name: 'Ada', email, password })
    const [known, locked, unverified] = [
      await at.insert(),
      await at.insert({ status: 'locked' }),
      await at.insert({ status: 'unverified' }),
    ]
    const { id: accountId, epoch } = await at.insert()
    const until = at.clock.time + 1000
    const reserved = { email: 'reserved@example.com', accountId, since: at.clock.time, until }
    await at.stores.accounts.reservations?.reserve(reserved, epoch)
    await at.show('/sign-up', fields(freeAddress()))
    const first = await at.show('/sign-up', fields(freeAddress()))
    expect([first.status, first.hashes]).toEqual([200, 1])
    for (const { email } of [known, locked, unverified, reserved]) {
      expect(await at.show('/sign-up', fields(email))).toEqual(first)
    }
  })

  test('mails the owner of a taken address, and keeps the password', async () => {
    const { email } = await bench.insert()
    const taken = await send({ name: 'Eve', email, password: 'another sentence of hers' })
    expect(titled(taken)).toEqual(sent)
    await expect.poll(() => bench.outbox.find((mail) => mail.to === email)?.kind).toBe('account-exists')
    expect((await bench.visitor().signIn(email, password)).status).toBe(200)
  })

  test.each<[what: string, fields: Readonly<Record<string, string>>, said: string, wrong: string]>([
    ['a blank name', { name: ' ' }, 'Enter a name of 1 to 100 characters.', 'name'],
    ['a name of 10,000 characters', { name: 'n'.repeat(5000) }, 'Enter a name of 1 to 100 characters.', 'name'],
    [
      'a name that turns the direction of text',
      { name: 'Ada\u202eadA' },
      'Enter a name of 1 to 100 characters.',
      'name',
    ],
    ['a name with a line break', { name: 'Ada\nLovelace' }, 'Enter a name of 1 to 100 characters.', 'name'],
    ['what is no address', { email: 'ada' }, 'Enter a valid email.', 'email'],
    ['two addresses', { email: 'a@example.com,b@example.com' }, 'Enter a valid email.', 'email'],
    ['an address with a line break', { email: 'a@example.com\r\nBcc: b@example.com' }, 'Enter a valid email.', 'email'],
    ['a short password', { password: 'short' }, 'This password is too short. Use at least 15', 'password'],
    ['a common password', { password: 'passwordpassword' }, 'This password is', 'password'],
    ['no name', { name: '' }, 'Enter your name, email and password.', 'name'],
    ['no address', { email: '' }, 'Enter your name, email and password.', 'email'],
    ['no password', { password: '' }, 'Enter your name, email and password.', 'password'],
  ])('refuses %s, keeps what was typed but for the password, and sends nothing', async (_what, change, said, wrong) => {
    const before = requested()
    const typed = { name: 'Ada & <b>', email: freeAddress(), password: 'otters read quietly at dusk', ...change }
    const answer = await send(typed)
    expect([...titled(answer), answer.cookies]).toEqual([400, 'Create an account', []])
    expect(answer.text).toContain(`<p class="problem" id="problem" role="alert">${said}`)
    expect(answer.text).toMatch(new RegExp(`name="${wrong}"[^>]* aria-invalid="true" aria-describedby="problem`))
    expect(answer.text.match(/ aria-invalid="true"| autofocus/g)).toHaveLength(2)
    if (typed.name === 'Ada & <b>') expect(fieldValue(answer, 'name')).toBe('Ada &amp; &lt;b&gt;')
    if (typed.email !== '') expect(fieldValue(answer, 'email')).toContain(typed.email.slice(0, 3))
    expect(fieldValue(answer, 'password')).toBeUndefined()
    expect(answer.text).not.toContain('otters read')
    expect(requested()).toBe(before)
  })

  test('writes markup in a name as text on every page and in no mail as markup', async () => {
    const email = freeAddress()
    const name = '<img src=x onerror=alert(1)>"\''
    expect(titled(await send({ name, email, password }))).toEqual(sent)
    const token = await bench.mailedToken(email)
    const visitor = bench.visitor()
    expect((await visitor.get(`/verify?token=${token}`)).text).not.toContain('<img')
    await visitor.post('/verify', { token, password }, ownForm)
    await visitor.post('/sign-in', { email, password }, ownForm)
    const { text } = await visitor.get('/account')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;')
    expect(text).not.toContain('<img')
  })

  test.each([
    ['another site', { ...ownForm, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling of the same site', { ...ownForm, origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin', { origin: 'null' }],
  ])('refuses a form that was sent by %s', async (_who, headers) => {
    const before = requested()
    const answer = await send({ name: 'Ada', email: freeAddress(), password }, headers)
    expect([...titled(answer), answer.cookies]).toEqual([403, 'Request blocked', []])
    expect(requested()).toBe(before)
  })

  test.each([
    ['a name that stands twice', 'name=Ada&name=Eve&email=a@example.com&password=otters+read+quietly+at+dawn'],
    ['lists', 'name[]=Ada&email[]=a@example.com&password[]=otters+read+quietly+at+dawn'],
    ['nothing', ''],
    ['more than a form has', `name=Ada&email=a@example.com&password=${'x'.repeat(9000)}`],
  ])('refuses %s', async (_what, body) => {
    const before = requested()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await bench.visitor().postText('/sign-up', body, { ...ownForm, ...type })
    expect(titled(answer)).toEqual([400, 'Create an account'])
    expect(requested()).toBe(before)
  })

  test('answers 503 while too many passwords wait, with Retry-After', async () => {
    const hash = async () => Promise.reject(new PasswordError('PASSWORD_HASHER_UNAVAILABLE', 'x', 7))
    const overloaded = createBench({ options: { signIn: { passwordHasher: { ...passwords, hash } } } })
    const fields = { name: 'Ada', email: freeAddress(), password }
    const answer = await overloaded.visitor().post('/sign-up', fields, ownForm)
    expect([...titled(answer), answer.headers.get('retry-after')]).toEqual([503, 'Temporarily unavailable', '7'])
  })

  test('has no effect when it is opened, even by a signed-in user', async () => {
    const before = requested()
    const visitor = await bench.signedIn()
    const query = `name=Ada&email=${freeAddress()}&password=${encodeURIComponent(password)}`
    const page = await visitor.get(`/sign-up?${query}`)
    expect([page.status, page.text.includes('value="')]).toEqual([200, false])
    const head = await bench.server.fetch(new Request(`https://example.com/sign-up?${query}`, { method: 'HEAD' }))
    expect([head.status, requested()]).toEqual([200, before])
  })

  test('is 404 if administrators create the accounts', async () => {
    const closed = createBench({ options: { signUp: 'closed' } })
    expect((await closed.visitor().get('/sign-up')).status).toBe(404)
    const fields = { name: 'Ada', email: freeAddress(), password }
    expect((await closed.visitor().post('/sign-up', fields, ownForm)).status).toBe(404)
  })
})
