import { createPkcePair } from '@latchkey/oauth'
import { describe, expect, test } from 'vitest'
import { createBench, password, type SignedIn } from '../support/bench.ts'
import {
  answerTo,
  callback,
  createAskingBench,
  decide,
  leadsTo,
  open,
  registerNamed,
  requestPath,
} from '../support/clients/asking.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import { ownForm, titleOf } from '../support/forms.ts'

const bench = createAskingBench()

async function allow(visitor: SignedIn, changes: Readonly<Record<string, string>> = {}): Promise<void> {
  answerTo(await decide(visitor, await open(visitor, requestPath(changes)), 'allow'))
}

const grantIdsOf = async ({ account: { id } }: SignedIn) => (await grantsOf(bench, id)).map((grant) => grant.grantId)
const revoke = (visitor: SignedIn, id: string, headers: Readonly<Record<string, string>> = ownForm) =>
  visitor.post('/account/applications/revoke', { id }, headers)

describe('the applications of an account', () => {
  test('are listed with scopes and the date of each grant', async () => {
    const visitor = await bench.signedIn()
    expect((await visitor.get('/account')).text).not.toContain('Applications')
    await allow(visitor, { scope: 'openid email notes:write' })
    const { text } = await visitor.get('/account')
    const [id = ''] = await grantIdsOf(visitor)
    expect(text).toContain('<h2>Apps with access</h2>')
    expect(text).toMatch(
      new RegExp(`<span id="name-${id}"><strong><bdi>Reader</bdi></strong></span>, access since <time`),
    )
    for (const words of ['Recognize your account', 'See your email address', '<code>notes:write</code>']) {
      expect(text).toContain(`<li>${words}</li>`)
    }
    expect(text).toContain(`aria-labelledby="revoke-${id} name-${id}"`)
  })

  test('lose their access by the button, and their next request requests it again', async () => {
    const visitor = await bench.signedIn()
    await allow(visitor)
    const [id = ''] = await grantIdsOf(visitor)
    expect(leadsTo(await revoke(visitor, id))).toBe('/account')
    expect(await grantIdsOf(visitor)).toEqual([])
    expect(leadsTo(await revoke(visitor, id))).toBe('/account')
    expect((await visitor.get('/account')).text).not.toContain('Applications')
    expect(titleOf(await open(visitor, requestPath()))).toBe('Allow access?')
  })

  test('leave no session after they are revoked', async () => {
    const visitor = await bench.signedIn()
    const { id } = visitor.account
    const { verifier, challenge } = createPkcePair()
    const asked = { scope: 'openid offline_access', code_challenge: challenge }
    const { code = '' } = answerTo(await decide(visitor, await open(visitor, requestPath(asked)), 'allow'))
    const form = { grant_type: 'authorization_code', client_id: 'reader', redirect_uri: callback, code }
    expect((await bench.visitor().post('/token', { ...form, code_verifier: verifier })).status).toBe(200)
    const openedFor = async () =>
      (await (await bench.server.accounts()).listSessions(id)).flatMap(({ clientId }) => clientId ?? [])
    expect(await openedFor()).toEqual(['reader'])
    await revoke(visitor, (await grantIdsOf(visitor))[0] ?? '')
    expect(await openedFor()).toEqual([])
  })

  test('are shown without their client, so that they can be removed', async () => {
    const visitor = await bench.signedIn()
    const client = await registerNamed(bench, '<i>Notebook')
    await allow(visitor, { client_id: client })
    expect((await visitor.get('/account')).text).toContain('<bdi>&lt;i&gt;Notebook</bdi>')
    await bench.stores.documents.remove({ collection: 'oauth-client', id: client })
    expect((await visitor.get('/account')).text).toContain(`<bdi>${client}</bdi>`)
    await revoke(visitor, (await grantIdsOf(visitor))[0] ?? '')
    expect(await grantIdsOf(visitor)).toEqual([])
  })

  test.each<
    [what: string, send: (id: string, owner: SignedIn) => Promise<{ readonly status: number }>, status: number]
  >([
    ['of another account', async (id) => revoke(await bench.signedIn(), id), 303],
    ['of another site', (id, owner) => revoke(owner, id, { 'sec-fetch-site': 'cross-site' }), 403],
    ['without an id', (_id, owner) => revoke(owner, ''), 303],
    ['by a link', (id, owner) => owner.get(`/account/applications/revoke?id=${id}`), 405],
  ])('are kept at a form %s', async (_what, send, status) => {
    const owner = await bench.signedIn()
    await allow(owner)
    const [id = ''] = await grantIdsOf(owner)
    expect((await send(id, owner)).status).toBe(status)
    expect(await grantIdsOf(owner)).toEqual([id])
  })

  test('can be removed before an account has the second factor that it must have', async () => {
    const visitor = await bench.signedIn()
    await allow(visitor)
    const strict = createAskingBench({
      beside: bench,
      options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } },
    })
    const other = strict.visitor()
    await other.post('/sign-in', { email: visitor.account.email, password }, ownForm)
    expect((await other.get('/account')).text).toContain('<h2>Apps with access</h2>')
    await other.post('/account/applications/revoke', { id: (await grantIdsOf(visitor))[0] ?? '' }, ownForm)
    expect(await grantIdsOf(visitor)).toEqual([])
  })

  test('need a sign-in', async () => {
    const answer = await bench.visitor().post('/account/applications/revoke', { id: 'x' }, ownForm)
    expect(leadsTo(answer)).toBe('/sign-in?return_to=%2Faccount')
  })

  test('are not there without clients', async () => {
    expect((await (await createBench().signedIn()).get('/account')).status).toBe(200)
  })
})

describe("the authorization server's own page", () => {
  test.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['a redirect that is not registered', { redirect_uri: 'https://evil.example/"><script>' }],
    ['no redirect', { redirect_uri: null }],
  ])('has the common layout for %s, and no link to another site', async (_what, changes) => {
    const page = await bench.visitor().get(requestPath(changes))
    expect([page.status, titleOf(page)]).toEqual([400, 'We couldn’t process this request'])
    expect(page.text).toContain('--surface:')
    expect(page.text).toContain('<code>invalid_request</code>: ')
    expect(page.text).not.toMatch(/evil\.example|<a |<form/)
    expect(page.headers.get('location')).toBeNull()
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'; ")
  })

  test("confirms a client's sign-out with the user, keeps the user who declines, and shows the result", async () => {
    const visitor = await bench.signedIn()
    const page = await visitor.get('/end-session?client_id=reader&state=%22%3Cb%3E')
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign out?'])
    expect(page.text).toContain('<strong><bdi>Reader</bdi></strong> wants to sign you out here, too.')
    expect(page.text).toContain('<a href="/account">Stay signed in</a>')
    expect((await visitor.get('/account')).status).toBe(200)
    const done = await visitor.post('/end-session', fieldsOf(page.text), ownForm)
    expect([done.status, titleOf(done)]).toEqual([200, 'You’re signed out'])
    expect(leadsTo(await visitor.get('/account'))).toMatch(/^\/sign-in/)
    expect(titleOf(await visitor.get('/end-session'))).toBe('You’re signed out')
  })

  test('names no client that it does not know', async () => {
    const visitor = await bench.signedIn()
    const { text } = await visitor.get('/end-session?client_id=nobody')
    expect(text).toContain('An app wants to sign you out here, too.')
  })

  test("lets the form of a logout redirect to the client's registered URL", async () => {
    const visitor = await bench.signedIn()
    const target = 'https://reader.example.org/'
    const ask = (uri: string) =>
      visitor.get(`/end-session?${new URLSearchParams({ client_id: 'reader', post_logout_redirect_uri: uri })}`)
    const page = await ask(target)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://reader.example.org; ")
    const refused = await ask('https://evil.example/')
    expect([refused.status, titleOf(refused)]).toEqual([400, 'We couldn’t process this request'])
    expect(refused.text).not.toContain('evil.example')
    expect(leadsTo(await visitor.post('/end-session', fieldsOf(page.text), ownForm))).toBe(target)
    const { email } = visitor.account
    expect(leadsTo(await visitor.post('/sign-in', { email, password }, ownForm))).toBe('/account')
  })

  const fieldsOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
      ]),
    )
})
