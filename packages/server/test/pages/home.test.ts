import type { AnyPolicy } from '@latchkey/rbac'
import type { ServerOptions } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import { createAskingBench, leadsTo, open, requestPath } from '../support/clients/asking.ts'
import { createFactorBench, withPasskey, withTotp } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { createProviderBench, locationOf, signInWith } from '../support/providers/provider-bench.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

type Pages = NonNullable<ServerOptions<AnyPolicy>['pages']>

const application = 'https://app.example.net'

/** What `pages` has, and where people are led to by it when they have said nothing else. */
const homes: readonly (readonly [said: string, pages: Pages, home: string])[] = [
  ['nothing', {}, '/account'],
  ['a path', { home: '/notes?all=1' }, '/notes?all=1'],
  ['the path /', { home: '/' }, '/'],
  ['a URL', { home: `${application}/notes` }, `${application}/notes`],
  ['an origin', { home: application }, `${application}/`],
]
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}) =>
  visitor.post(path, fields, ownForm)
const headerOf = (answer: Answer, name: string) => answer.headers.get(name) ?? ''

describe.each(homes)("the application's home, given as %s,", (_said, pages, home) => {
  const bench = createFactorBench({ options: { pages: { name: 'Notes', ...pages }, signIn: { emailCode: {} } } })

  test('is the destination of a sign-in by password, and of /sign-in with a session', async () => {
    const [{ email }, visitor] = [await bench.insert(), bench.visitor()]
    expect(leadsTo(await send(visitor, '/sign-in', { email, password }))).toBe(home)
    expect(leadsTo(await visitor.get('/sign-in'))).toBe(home)
    expect(leadsTo(await send(visitor, '/confirm-password', { password }))).toBe(home)
  })

  test('is the destination of a sign-in with a second factor or a passkey', async () => {
    const person = await withTotp(bench)
    expect(leadsTo(await send(person, '/sign-in', { email: person.account.email, password }))).toBe('/second-factor')
    expect(leadsTo(await send(person, '/second-factor', { code: person.code() }))).toBe(home)
    expect(leadsTo(await signInByPasskey(await withPasskey(bench)))).toBe(home)
  })

  test('is the destination of a sign-in by a mailed code', async () => {
    const [{ email }, visitor] = [await bench.insert(), bench.visitor()]
    await send(visitor, '/sign-in-code', { email })
    await expect.poll(() => bench.outbox.some((mail) => mail.kind === 'sign-in-code' && mail.to === email)).toBe(true)
    const mail = bench.outbox.find((mail) => mail.kind === 'sign-in-code' && mail.to === email)
    const code = mail?.kind === 'sign-in-code' ? mail.data.code : ''
    expect(leadsTo(await send(visitor, '/sign-in-code', { email, code }))).toBe(home)
  })

  test('is the destination of a sign-in with a provider, unless another page started it', async () => {
    const bench = createProviderBench({ options: { pages } })
    await bench.link((await bench.insert()).id)
    expect(locationOf(await signInWith(bench.visitor(), bench.one))).toEqual([303, home])
    const begun = { return_to: '/' }
    expect(locationOf(await signInWith(bench.visitor(), bench.one, begun))).toEqual([303, '/'])
  })

  test('is the destination of a sign-in after a sign-up or a reset', async () => {
    const [visitor, email] = [bench.visitor(), `home-${Math.random()}@example.org`]
    await send(visitor, '/sign-up', { name: 'Ada', email, password })
    const verified = await send(visitor, '/verify', { token: await bench.mailedToken(email) })
    await send(visitor, '/reset', { email })
    const reset = await send(visitor, '/reset', { token: await bench.mailedToken(email), password: newPassword })
    for (const page of [verified, reset]) expect(page.text).toContain('<a href="/sign-in">Sign in</a>')
    expect(leadsTo(await send(visitor, '/sign-in', { email, password: newPassword }))).toBe(home)
  })

  test('is the destination of a sign-out only if it is given', async () => {
    const visitor = await bench.signedIn()
    expect(leadsTo(await send(visitor, '/sign-out'))).toBe(pages.home === undefined ? '/sign-in' : home)
  })

  test('is linked by the name above the pages and by the account page', async () => {
    const visitor = await bench.signedIn()
    const link = `<a href="${home}">`
    for (const path of ['/account', '/devices', '/account/password', '/reset', '/verify']) {
      expect((await visitor.get(path)).text).toContain(`<header>${link}Notes</a></header>`)
    }
    const { text } = await visitor.get('/account')
    expect(text.includes(`${link}Back to the app</a>`)).toBe(home !== '/account')
  })

  test('is replaced by another path of this service, but never by another site', async () => {
    const [{ email }, visitor] = [await bench.insert(), bench.visitor()]
    const signIn = (return_to: string) => send(visitor, '/sign-in', { email, password, return_to })
    expect(leadsTo(await signIn('/drafts'))).toBe('/drafts')
    for (const path of ['https://evil.example/', '//evil.example', `${application}.evil.example`, application]) {
      expect(leadsTo(await signIn(path))).toBe(home)
      expect(leadsTo(await visitor.get(`/sign-in?return_to=${encodeURIComponent(path)}`))).toBe(home)
    }
  })
})

async function signInByPasskey(person: Awaited<ReturnType<typeof withPasskey>>): Promise<Answer> {
  const { authenticator } = person
  person.jar.clear()
  const options = await send(person, '/passkey/start', { step: 'sign-in' })
  const response = JSON.stringify(await authenticator.get(JSON.parse(options.text)))
  return send(person, '/passkey', { step: 'sign-in', response })
}

describe('the policy of pages', () => {
  const policyAt = async (pages: Pages, path = '/sign-in') => {
    const answer = await createBench({ options: { pages } }).visitor().get(path)
    const target = /form-action ([^;]*);/.exec(headerOf(answer, 'content-security-policy'))?.[1]
    return [target, headerOf(answer, 'cross-origin-opener-policy')]
  }

  test('lets forms redirect to the home of another origin, and severs the opener', async () => {
    expect(await policyAt({ home: `${application}/notes` })).toEqual([`'self' ${application}`, 'same-origin'])
    expect(await policyAt({ home: 'http://[::1]:3000/' })).toEqual(["'self' http://*:3000", 'same-origin'])
    expect(await policyAt({ home: '/notes' })).toEqual(["'self'", 'same-origin'])
    expect(await policyAt({})).toEqual(["'self'", 'same-origin'])
  })

  test('lets forms redirect to a client, too, and keeps its opener', async () => {
    const bench = createAskingBench({ options: { pages: { home: application } } })
    const page = await open(bench.visitor(), requestPath())
    const policy = headerOf(page, 'content-security-policy')
    expect(policy).toContain(`form-action 'self' ${application} https://reader.example.org;`)
    expect(headerOf(page, 'cross-origin-opener-policy')).toBe('')
  })
})

describe('the option pages.home', () => {
  test.each([
    '//evil.example',
    '/\\evil.example',
    'notes',
    '',
    'javascript:alert(1)',
    'ftp://example.com/',
    'data:text/html,x',
    'https://user@example.com/',
    'https://:secret@example.com/',
    'https://',
    'blob:https://example.com/x',
    // The URL parser lets these stand in a host, and no policy can name it.
    'https://*/',
    'https://a;b.example/',
    "https://a'b.example/",
    7,
    null,
  ])('refuses %j when the server is created', (home) => {
    expect(() => createBench({ options: { pages: { home } as Pages } })).toThrow(
      '"pages.home" must be a path of this service such as "/notes", or an http or https URL',
    )
  })

  test.each([
    '/sign-in',
    '/sign-in?return_to=%2Fsign-in',
    '/sign-in#top',
    '/second-factor',
    'https://example.com/sign-in',
    'https://EXAMPLE.com:443/x/../second-factor?a',
  ])('refuses %j, which would redirect to itself', (home) => {
    expect(() => createBench({ options: { pages: { home } } })).toThrow(
      /^"pages\.home" must not be \/(?:sign-in|second-factor), which leads to the home$/,
    )
  })
})
