import { beforeEach, describe, expect, test } from 'vitest'
import { withTotp } from '../../support/factor-bench.ts'
import { ownForm, titleOf } from '../../support/forms.ts'
import {
  codeOf,
  comeBack,
  createProviderBench,
  isSignedIn,
  leadOf,
  locationOf,
  type ProviderBench,
  pressed,
  signInWith,
} from '../../support/providers/provider-bench.ts'
import type { Visitor } from '../../support/visitor.ts'

let bench: ProviderBench
let visitor: Visitor
beforeEach(() => {
  bench = createProviderBench()
  visitor = bench.visitor()
})

describe('a sign-in with a provider', () => {
  test('starts at a button of the sign-in page, which names the provider', async () => {
    const page = await visitor.get('/sign-in?return_to=%2Fdevices')
    expect(page.text).toContain('action="/sign-in/with/one"')
    expect(page.text).toContain('<button type="submit" class="quiet">Sign in with One</button>')
    expect(page.text).toContain('<button type="submit" class="quiet">Sign in with two</button>')
    const left = await visitor.post('/sign-in/with/one', { return_to: '/devices' }, ownForm)
    expect([left.status, left.headers.get('location')]).toEqual([200, null])
    const url = new URL(leadOf(left))
    expect(url.origin).toBe('https://one.example')
    expect(left.text).toContain('Continue to One')
    expect(left.cookies).toEqual([expect.stringMatching(/^__Host-oauth-\d=/)])
  })

  test('signs in the linked account, and redirects to the destination', async () => {
    const account = await bench.insert()
    await bench.link(account.id)
    const answer = await signInWith(visitor, bench.one, { return_to: '/devices' })
    expect(locationOf(answer)).toEqual([303, '/devices'])
    expect((await visitor.ask('{ viewer { id } }')).data).toEqual({ viewer: { id: account.id } })
    expect(visitor.jar.has('__Host-device')).toBe(true)
    expect([...visitor.jar.keys()].filter((name) => name.startsWith('__Host-oauth'))).toEqual([])
  })

  test('is verified after a redirect on this site, which has the cookies', async () => {
    await bench.link((await bench.insert()).id)
    const url = bench.one.authorize(await pressed(visitor, '/sign-in/with/one'))
    const first = await visitor.get(`${url.pathname}${url.search}`, { 'sec-fetch-site': 'cross-site' })
    expect([first.status, first.cookies, bench.one.redeemed()]).toEqual([200, [], 0])
    expect(first.headers.get('cross-origin-opener-policy')).toBeNull()
    expect(leadOf(first)).toBe(`${url.pathname}${url.search}&via=here`)
  })

  test('requires the second factor of an account, and grants no access before', async () => {
    const person = await withTotp(bench)
    await bench.link(person.account.id)
    expect(locationOf(await signInWith(person, bench.one, { return_to: '/devices' }))).toEqual([
      303,
      '/second-factor?return_to=%2Fdevices',
    ])
    expect(await isSignedIn(person)).toBe(false)
    const answer = await person.post('/second-factor', { code: person.code(), return_to: '/devices' }, ownForm)
    expect(locationOf(answer)).toEqual([303, '/devices'])
    expect(await isSignedIn(person)).toBe(true)
  })

  test('is refused for an unlinked user, with the next steps', async () => {
    const answer = await signInWith(visitor, bench.one, { return_to: '/devices' })
    expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid-credentials'])
    expect(answer.text).toContain('href="/sign-in?return_to=%2Fdevices"')
    expect(await isSignedIn(visitor)).toBe(false)
    expect(await bench.stores.accounts.getByEmail('ada@one.example')).toBeNull()
  })

  test('creates an account if the option allows it, except for a taken or unverified address', async () => {
    const open = createProviderBench({ providers: { newAccounts: 'verified-email' } })
    const newcomer = open.visitor()
    expect((await newcomer.get('/sign-up')).text).toContain('Sign up with One')
    expect(locationOf(await signInWith(newcomer, open.one))).toEqual([303, '/account'])
    expect(await isSignedIn(newcomer)).toBe(true)
    const other = open.visitor()
    const held = await signInWith(other, open.two)
    expect([held.status, codeOf(held), await isSignedIn(other)]).toEqual([403, 'EMAIL_IN_USE', false])
    open.two.claims = { email: 'bea@two.example', email_verified: false }
    const unverified = await signInWith(other, open.two)
    expect([unverified.status, codeOf(unverified), await isSignedIn(other)]).toEqual([403, 'EMAIL_UNVERIFIED', false])
    expect(unverified.text).toContain('href="/sign-up"')
    expect(await open.stores.accounts.getByEmail('bea@two.example')).toBeNull()
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'goes nowhere else afterwards: %s',
    async (return_to) => {
      await bench.link((await bench.insert()).id)
      expect(locationOf(await signInWith(visitor, bench.one, { return_to }))).toEqual([303, '/account'])
    },
  )

  test('is not started by a form of another site', async () => {
    const answer = await visitor.post('/sign-in/with/one', {}, { origin: 'https://evil.example' })
    expect([answer.status, titleOf(answer), answer.cookies]).toEqual([403, 'Request blocked', []])
  })

  test.each(['/sign-in/with/three', '/sign-in/with/:name', '/sign-in/with/One', '/sign-in/with/'])(
    'does not start at %s, which names no provider',
    async (path) => {
      const answer = await visitor.post(path, {}, ownForm)
      expect([answer.status, answer.text]).toEqual([404, 'Not found.'])
      expect((await visitor.get(`${path}/callback`)).status).toBe(404)
      expect((await visitor.post(`${path}/logout`, {})).status).toBe(404)
    },
  )

  test('is refused if another browser has started it', async () => {
    const url = bench.one.authorize(await pressed(visitor, '/sign-in/with/one'))
    const answer = await comeBack(bench.visitor(), url)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'state'])
  })
})
