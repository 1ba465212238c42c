import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password, type SignedIn, withoutReservations } from '../../support/bench.ts'
import { createFactorBench, signInWithBoth, withTotp } from '../../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'
import { createComparingBench } from './answered-alike.ts'

const deletion = { onDelete: () => {} }
const bench = createFactorBench({ options: { accounts: { deletion } } })
const titled = (answer: Answer) => [answer.status, titleOf(answer)]
const leads = (answer: Answer) => [answer.status, answer.headers.get('location')]
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}, headers = ownForm) =>
  visitor.post(path, fields, headers)
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200
const stored = ({ account: { id } }: SignedIn) => bench.stores.accounts.get(id)
let drawn = 0
const freeAddress = () => `free-${++drawn}@example.net`

/** The pages that change something of an account, and what their forms send. */
const forms: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/account/name', { name: 'Ada' }],
  ['/account/email', { email: 'ada@example.net' }],
  ['/account/password', { password, new_password: newPassword }],
  ['/account/export', {}],
  ['/account/delete', { email: '' }],
]
const ofOwner = (fields: Readonly<Record<string, string>>, { account: { email } }: SignedIn) =>
  fields.email === '' ? { email } : fields

describe('/account', () => {
  test.each([
    [['AUTHOR'], '<p>Role: <bdi>AUTHOR</bdi></p>'],
    [['AUTHOR', 'READER'], '<p>Role: <bdi>AUTHOR, READER</bdi></p>'],
  ])('shows the roles %j', async (roles, shown) => {
    const visitor = await bench.signedIn()
    const { id } = visitor.account
    await bench.stores.accounts.replace(id, { epoch: 0 }, { roles })
    expect((await visitor.get('/account')).text).toContain(shown)
  })

  test('shows no role of an account without a role', async () => {
    const visitor = await bench.signedIn()
    await bench.stores.accounts.replace(visitor.account.id, { epoch: 0 }, { roles: [] })
    expect((await visitor.get('/account')).text).not.toContain('Role:')
  })

  test('links to the offered changes only', async () => {
    const { text } = await (await bench.signedIn()).get('/account')
    for (const path of ['/devices', ...forms.map(([path]) => path)]) expect(text).toContain(`<a href="${path}">`)
    const stores = withoutReservations(bench.stores)
    const bare = createBench({ beside: bench, options: { stores } })
    const page = await (await bare.signedIn()).get('/account')
    const listed = [...page.text.matchAll(/<a href="([^"]*)">/g)].map(([, path]) => path)
    expect(listed).toEqual(['/devices', '/account/name', '/account/password', '/account/export'])
    for (const path of ['/account/email', '/account/delete']) {
      expect((await bare.visitor().get(path)).status).toBe(404)
      expect((await send(bare.visitor(), path)).status).toBe(404)
    }
  })
})

describe.each(forms)('%s', (path, fields) => {
  test('redirects to the sign-in and back without a session', async () => {
    const to = (returnTo: string) => [303, `/sign-in?return_to=${encodeURIComponent(returnTo)}`]
    expect(leads(await bench.visitor().get(path))).toEqual(to(path))
    expect(leads(await send(bench.visitor(), path, fields))).toEqual(to('/account'))
    const native = await bench.signedIn('READER', 'NATIVE')
    expect(leads(await native.get(path))).toEqual(to(path))
  })

  test.each([
    ['another site', { ...ownForm, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling of the same site', { ...ownForm, origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' }],
  ])('refuses a form that was sent by %s', async (_who, headers) => {
    const visitor = await bench.signedIn()
    const before = await stored(visitor)
    const answer = await send(visitor, path, ofOwner(fields, visitor), headers)
    expect([...titled(answer), answer.cookies]).toEqual([403, 'Request blocked', []])
    expect(answer.headers.get('content-disposition')).toBeNull()
    expect([await stored(visitor), await isSignedIn(visitor)]).toEqual([before, true])
  })

  test('has no effect when it is opened with any query', async () => {
    const visitor = await bench.signedIn()
    const before = await stored(visitor)
    const query = new URLSearchParams(ofOwner(fields, visitor))
    const page = await visitor.get(`${path}?${query}`)
    expect([page.status, page.cookies]).toEqual([200, []])
    const headers = { cookie: `__Host-session=${visitor.jar.get('__Host-session')}` }
    const head = new Request(`https://example.com${path}?${query}`, { method: 'HEAD', headers })
    expect((await bench.server.fetch(head)).status).toBe(200)
    expect([await stored(visitor), await isSignedIn(visitor)]).toEqual([before, true])
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).not.toContain('<script')
  })

  test('is closed until a required second factor is set up', async () => {
    const { account } = await bench.signedIn()
    const strict = createFactorBench({
      beside: bench,
      options: { accounts: { deletion }, signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } },
    })
    const visitor = Object.assign(strict.visitor(), { account })
    await send(visitor, '/sign-in', { email: account.email, password })
    const before = await stored(visitor)
    expect(leads(await visitor.get(path))).toEqual([303, '/account'])
    expect(leads(await send(visitor, path, ofOwner(fields, visitor)))).toEqual([303, '/account'])
    expect(await stored(visitor)).toEqual(before)
    expect((await visitor.get('/account')).text).not.toContain(`<a href="${path}">`)
  })
})

describe.each(forms.filter(([path]) => !/name|password/.test(path)))('%s', (path, fields) => {
  test('requires the password again after an old sign-in, then continues', async () => {
    const visitor = await bench.signedIn()
    bench.advance(301)
    const before = await stored(visitor)
    const page = await visitor.get(path)
    expect([page.status, fieldValue(page, 'return_to')]).toEqual([200, path])
    expect(page.text).toContain('<form method="post" action="/step-up">')
    expect(page.text).not.toContain(`action="${path}"`)
    const confirm = [303, `/confirm-password?return_to=${encodeURIComponent(path)}`]
    expect(leads(await send(visitor, path, ofOwner(fields, visitor)))).toEqual(confirm)
    expect(await stored(visitor)).toEqual(before)
    expect(leads(await send(visitor, '/step-up', { return_to: path }))).toEqual(confirm)
    expect(leads(await send(visitor, '/confirm-password', { password, return_to: path }))).toEqual([303, path])
    expect((await visitor.get(path)).text).toContain(`action="${path}"`)
    expect((await send(visitor, path, ofOwner(fields, visitor))).status).toBe(200)
  })

  test('requires the second factor of an account that has it, and refuses a recovery code', async () => {
    const person = await withTotp(bench)
    await signInWithBoth(person, 'SESSION')
    bench.advance(301)
    const before = await stored(person)
    const second = [303, `/second-factor?return_to=${encodeURIComponent(path)}`]
    expect(leads(await send(person, path, ofOwner(fields, person)))).toEqual(second)
    expect(await stored(person)).toEqual(before)
    const code = { code: person.codes[0] ?? '', return_to: path }
    expect((await send(person, '/second-factor', code)).status).toBe(401)
    expect(leads(await send(person, '/second-factor', { code: person.code(), return_to: path }))).toEqual([303, path])
    expect((await send(person, path, ofOwner(fields, person))).status).toBe(200)
  })
})

describe('/account/name', () => {
  test('shows the name that there is, and changes it', async () => {
    const visitor = await bench.signedIn()
    const page = await visitor.get('/account/name')
    expect([...titled(page), fieldValue(page, 'name')]).toEqual([200, 'Change name', 'A Reader'])
    expect(page.text).toContain('autocomplete="name"')
    const name = '<i>Ada</i> & "Co"'
    expect(leads(await send(visitor, '/account/name', { name: ` ${name} ` }))).toEqual([303, '/account'])
    expect((await stored(visitor))?.name).toBe(name)
    expect((await visitor.get('/account')).text).toContain('&lt;i&gt;Ada&lt;/i&gt; &amp; &quot;Co&quot;')
    expect((await visitor.get('/account/name')).text).not.toContain('<i>')
  })

  test.each(['', ' ', 'a\u202eb', 'a\0b', 'x'.repeat(101), 'x'.repeat(8000)])(
    'refuses %j, keeps what was typed, and the name stays',
    async (name) => {
      const visitor = await bench.signedIn()
      const answer = await send(visitor, '/account/name', { name })
      expect([...titled(answer), fieldValue(answer, 'name')]).toEqual([400, 'Change name', name])
      expect(answer.text).toContain('role="alert">Enter a name of 1 to 100 characters.</p>')
      expect((await stored(visitor))?.name).toBe('A Reader')
    },
  )

  test.each(['name=Ada&name=Eve', 'name[]=Ada', ''])('reads no name from %j', async (body) => {
    const visitor = await bench.signedIn()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await visitor.postText('/account/name', body, { ...ownForm, ...type })).status).toBe(400)
    expect((await stored(visitor))?.name).toBe('A Reader')
  })
})

describe('/account/email', () => {
  test('requests a change of address without changing it, and tells that two mails are sent', async () => {
    const visitor = await bench.signedIn()
    const { email } = visitor.account
    const page = await visitor.get('/account/email')
    expect(titled(page)).toEqual([200, 'Change email'])
    expect(page.text).toContain(
      `Your email is <strong>${email}</strong>. It changes once you confirm the new one by email.`,
    )
    expect(page.text).toMatch(/name="email" type="email" autocomplete="email"/)
    const to = freeAddress()
    expect(titled(await send(visitor, '/account/email', { email: to }))).toEqual([200, 'Check both inboxes'])
    expect((await stored(visitor))?.email).toBe(email)
    const confirm = await bench.mailedToken(to)
    expect((await send(bench.visitor(), '/confirm-email-change', { token: confirm })).status).toBe(200)
    expect((await stored(visitor))?.email).toBe(to)
    expect((await visitor.get('/account/email')).text).toContain(to)
  })

  test('has the same response for a taken address, whose owner gets a mail', async () => {
    const [visitor, other] = [await bench.signedIn(), await bench.insert()]
    const bare = ({ text }: Answer) => text.replace(/nonce="[^"]*"/, '')
    const free = await send(visitor, '/account/email', { email: freeAddress() })
    const taken = await send(visitor, '/account/email', { email: other.email })
    expect([taken.status, bare(taken), taken.cookies]).toEqual([free.status, bare(free), free.cookies])
    await expect.poll(() => bench.outbox.find(({ to }) => to === other.email)?.kind).toBe('account-exists')
  })

  test('tells that an address is the current address, in any spelling, and sends no mail', async () => {
    const visitor = await bench.signedIn()
    const { email } = visitor.account
    const before = bench.events.length
    for (const typed of [email, ` ${email.toUpperCase()} `]) {
      const answer = await send(visitor, '/account/email', { email: typed })
      expect(titled(answer)).toEqual([400, 'Change email'])
      expect(answer.text).toContain('role="alert">This is already your email.</p>')
    }
    expect(bench.events.slice(before).map(({ type }) => type)).not.toContain('email-change.requested')
  })

  test.each([
    '',
    'ada',
    'a@b@c',
    'a@example.com,b@example.com',
    '"><script>@example.com',
    `${'x'.repeat(300)}@a.example`,
  ])('refuses %j, keeps the input, and sends no mail', async (email) => {
    const visitor = await bench.signedIn()
    const asked = () => bench.events.filter(({ type }) => type === 'email-change.requested').length
    const before = asked()
    const answer = await send(visitor, '/account/email', { email })
    expect(titled(answer)).toEqual([400, 'Change email'])
    expect(answer.text).toContain('role="alert">Enter a valid email.</p>')
    expect(fieldValue(answer, 'email')).toBe(
      email.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    )
    expect(asked()).toBe(before)
  })
})

describe('/account/password', () => {
  test('sets a new password after the current one, signs out all others, and keeps this browser', async () => {
    const visitor = await bench.signedIn()
    const { email } = visitor.account
    const elsewhere = bench.visitor()
    await elsewhere.signIn(email, password)
    const page = await visitor.get('/account/password')
    expect(titled(page)).toEqual([200, 'Change password'])
    for (const autocomplete of ['username', 'current-password', 'new-password']) {
      expect(page.text).toContain(` autocomplete="${autocomplete}"`)
    }
    const before = visitor.jar.get('__Host-session')
    const fields = { password, new_password: newPassword }
    expect(titled(await send(visitor, '/account/password', fields))).toEqual([200, 'Password changed'])
    expect(visitor.jar.get('__Host-session')).not.toBe(before)
    expect([await isSignedIn(visitor), await isSignedIn(elsewhere)]).toEqual([true, false])
    expect((await bench.visitor().signIn(email, password)).status).toBe(401)
    expect((await bench.visitor().signIn(email, newPassword)).status).toBe(200)
    // Sent twice, such as by going back.
    expect((await send(visitor, '/account/password', fields)).status).toBe(401)
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test.each<[what: string, fields: Readonly<Record<string, string>>, status: number, said: string, wrong: string]>([
    [
      'a wrong password',
      { password: 'not the password of it' },
      401,
      'Your current password is incorrect.',
      'password',
    ],
    ['no password', { password: '' }, 400, 'Enter your current password and a new password.', 'password'],
    ['no new one', { new_password: '' }, 400, 'Enter your current password and a new password.', 'password'],
    ['a short one', { new_password: 'short' }, 400, 'This password is too short. Use', 'new_password'],
    ['a common one', { new_password: 'passwordpassword' }, 400, 'This password is', 'new_password'],
  ])('refuses %s, writes none back, and all stays', async (_what, change, status, said, wrong) => {
    const visitor = await bench.signedIn()
    const before = await stored(visitor)
    const answer = await send(visitor, '/account/password', { password, new_password: newPassword, ...change })
    expect([...titled(answer), answer.cookies]).toEqual([status, 'Change password', []])
    expect(answer.text).toContain(`role="alert">${said}`)
    expect(answer.text).toMatch(new RegExp(`name="${wrong}"[^>]* aria-invalid="true"`))
    expect(answer.text).not.toMatch(/type="password"[^>]* value=/)
    expect([await stored(visitor), await isSignedIn(visitor)]).toEqual([before, true])
  })

  test('counts wrong passwords like a sign-in: the sixth is 429 before any hash, with the time to wait', async () => {
    const visitor = await bench.signedIn()
    const fields = { password: 'not the password of it', new_password: newPassword }
    for (let times = 0; times < 5; times++) expect((await send(visitor, '/account/password', fields)).status).toBe(401)
    const late = await send(visitor, '/account/password', { password, new_password: newPassword })
    expect(titled(late)).toEqual([429, 'Too many attempts'])
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(late.headers.get('ratelimit')).not.toBeNull()
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test('computes as many hashes for a wrong password as for a missing password', async () => {
    const at = createComparingBench()
    const hashes: number[] = []
    for (const change of [{}, { passwordHash: null }]) {
      const visitor = await at.signedIn()
      await at.stores.accounts.replace(visitor.account.id, {}, change)
      const fields = { password: 'not the password of it', new_password: newPassword }
      const cookie = `__Host-session=${visitor.jar.get('__Host-session')}`
      hashes.push((await at.show('/account/password', fields, { cookie })).hashes)
    }
    expect(hashes[0]).toBe(hashes[1])
  })
})
