import { beforeEach, describe, expect, test } from 'vitest'
import { password } from '../../support/bench.ts'
import { withTotp } from '../../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import {
  codeOf,
  comeBack,
  createProviderBench,
  locationOf,
  type ProviderBench,
  pressed,
  signInWith,
} from '../../support/providers/provider-bench.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

let bench: ProviderBench
beforeEach(() => {
  bench = createProviderBench()
})

const path = '/account/providers'
const linksOf = (id: string) => bench.links.listByAccount(id)

/** Begins a link, and returns where the provider leads. */
const begunBy = async (visitor: Visitor): Promise<URL> =>
  bench.one.authorize(await pressed(visitor, `${path}/one/link`))

/** A refusal that has opened no session. */
function expectNoSession(answer: Answer, { jar }: Visitor): void {
  expect([answer.status, codeOf(answer), jar.has('__Host-session')]).toEqual([401, 'invalid-credentials', false])
}

describe('linking', () => {
  test('starts on a page of the account, and returns there with the provider in the list', async () => {
    const visitor = await bench.signedIn()
    expect((await visitor.get('/account')).text).toContain('href="/account/providers"')
    const page = await visitor.get(path)
    expect([titleOf(page), page.text.includes('You don’t have any linked accounts yet.')]).toEqual([
      'Linked accounts',
      true,
    ])
    expect(page.text).toContain('Link One</button>')
    const before = visitor.jar.get('__Host-session')
    expect(locationOf(await comeBack(visitor, await begunBy(visitor)))).toEqual([303, path])
    expect(await linksOf(visitor.account.id)).toMatchObject([{ issuer: 'https://one.example', subject: 'ada' }])
    expect(visitor.jar.get('__Host-session')).not.toBe(before)
    expect((await visitor.get(path)).text).toMatch(/<strong id="name-[\w-]{43}">One<\/strong>, linked on/)
    expect(locationOf(await signInWith(bench.visitor(), bench.one))).toEqual([303, '/account'])
  })

  test('is not offered while an account owes a fresh proof: it is led to that first', async () => {
    const visitor = await bench.signedIn()
    bench.advance(301)
    const answer = await visitor.post(`${path}/one/link`, {}, ownForm)
    expect(locationOf(answer)).toEqual([303, `/confirm-password?return_to=${encodeURIComponent(path)}`])
    expect(answer.cookies).toEqual([])
  })

  test('is refused if the proof has become too old at the provider', async () => {
    const visitor = await bench.signedIn()
    const url = await begunBy(visitor)
    bench.advance(301)
    const answer = await comeBack(visitor, url)
    expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid-credentials'])
    expect(await linksOf(visitor.account.id)).toEqual([])
  })

  test('is refused if the session was revoked, or is newer than the link', async () => {
    const visitor = await bench.signedIn()
    const url = await begunBy(visitor)
    await visitor.post('/sign-out', {}, ownForm)
    const ended = await comeBack(visitor, url)
    expect([ended.status, codeOf(ended)]).toEqual([401, 'invalid-credentials'])
    await visitor.signIn(visitor.account.email, password)
    const next = await begunBy(visitor)
    await visitor.signIn(visitor.account.email, password)
    const other = await comeBack(visitor, next)
    expect([other.status, codeOf(other)]).toEqual([401, 'invalid-credentials'])
    expect(await linksOf(visitor.account.id)).toEqual([])
  })

  test('is refused if another account has started it in the same browser', async () => {
    const thief = await bench.signedIn()
    const url = await begunBy(thief)
    const victim = await bench.signedIn()
    for (const [name, value] of thief.jar) if (name.startsWith('__Host-oauth')) victim.jar.set(name, value)
    const answer = await comeBack(victim, url)
    expect([answer.status, codeOf(answer)]).toEqual([401, 'invalid-credentials'])
    expect([await linksOf(thief.account.id), await linksOf(victim.account.id)]).toEqual([[], []])
  })

  test('refuses a user of the provider who is linked to another account', async () => {
    const visitor = await bench.signedIn()
    const owner = await bench.insert()
    await bench.link(owner.id)
    const answer = await comeBack(visitor, await begunBy(visitor))
    expect([answer.status, codeOf(answer)]).toEqual([403, 'PROVIDER_IN_USE'])
    expect([await linksOf(visitor.account.id), (await linksOf(owner.id)).length]).toEqual([[], 1])
  })

  test('does not sign in', async () => {
    const visitor = await bench.signedIn()
    await bench.link(visitor.account.id)
    const url = await begunBy(visitor)
    visitor.jar.delete('__Host-session')
    const answer = await comeBack(visitor, url)
    expectNoSession(answer, visitor)
  })

  test('is refused for a form of another site', async () => {
    const visitor = await bench.signedIn()
    const answer = await visitor.post(`${path}/one/link`, {}, { origin: 'https://evil.example' })
    expect([answer.status, answer.cookies]).toEqual([403, []])
  })
})

describe('unlinking', () => {
  const removed = async (visitor: Visitor) =>
    visitor.post(`${path}/unlink`, { id: fieldValue(await visitor.get(path), 'id') ?? '' }, ownForm)

  test('removes a link, and keeps the session', async () => {
    const visitor = await bench.signedIn()
    await bench.link(visitor.account.id)
    expect(locationOf(await removed(visitor))).toEqual([303, path])
    expect(await linksOf(visitor.account.id)).toEqual([])
    expect((await visitor.get(path)).status).toBe(200)
  })

  test('keeps the last way to sign in, and tells the reason', async () => {
    const visitor = await bench.signedIn()
    await bench.link(visitor.account.id)
    await bench.stores.accounts.replace(visitor.account.id, {}, { passwordHash: null })
    const answer = await removed(visitor)
    expect([answer.status, answer.text.includes('This is your only way to sign in')]).toEqual([400, true])
    expect(await linksOf(visitor.account.id)).toHaveLength(1)
  })

  test('requires a fresh proof before the change', async () => {
    const visitor = await bench.signedIn()
    await bench.link(visitor.account.id)
    bench.advance(301)
    expect((await removed(visitor)).status).toBe(303)
    expect(await linksOf(visitor.account.id)).toHaveLength(1)
  })

  test('answers that a link of another account does not exist', async () => {
    const owner = await bench.signedIn()
    await bench.link(owner.account.id)
    const id = fieldValue(await owner.get(path), 'id') ?? ''
    const answer = await (await bench.signedIn()).post(`${path}/unlink`, { id }, ownForm)
    expect([answer.status, answer.text.includes('no longer linked')]).toEqual([400, true])
    expect(await linksOf(owner.account.id)).toHaveLength(1)
  })
})

describe('an account without a password', () => {
  /** Who has signed in with a provider, five minutes ago. */
  async function signedInBefore() {
    const account = await bench.insert({ passwordHash: null })
    await bench.link(account.id)
    const visitor = bench.visitor()
    await signInWith(visitor, bench.one)
    bench.advance(301)
    return Object.assign(visitor, { account })
  }

  const begunProof = async (visitor: Visitor) =>
    bench.one.authorize(await pressed(visitor, '/confirm-provider/with/one', { return_to: path }))

  test('is redirected to its provider for a fresh proof, and continues', async () => {
    const visitor = await signedInBefore()
    const asked = await visitor.post(`${path}/two/link`, {}, ownForm)
    expect(locationOf(asked)).toEqual([303, `/confirm-provider?return_to=${encodeURIComponent(path)}`])
    const page = await visitor.get(asked.headers.get('location') ?? '')
    expect(page.text).toContain('Continue with One</button>')
    expect(page.text).not.toContain('Continue with two')
    const url = await pressed(visitor, '/confirm-provider/with/one', { return_to: path })
    const { searchParams } = new URL(url)
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0'])
    expect(locationOf(await comeBack(visitor, bench.one.authorize(url)))).toEqual([303, path])
    const linking = bench.two.authorize(await pressed(visitor, `${path}/two/link`))
    expect(locationOf(await comeBack(visitor, linking))).toEqual([303, path])
    expect(await linksOf(visitor.account.id)).toHaveLength(2)
  })

  test('is not proven by another user of the provider, nor by an old sign-in there', async () => {
    const visitor = await signedInBefore()
    bench.one.claims = { sub: 'bea' }
    const other = await comeBack(visitor, await begunProof(visitor))
    expect([other.status, codeOf(other)]).toEqual([401, 'invalid-credentials'])
    expect(other.text).toContain('href="/reset"')
    bench.one.claims = { auth_time: Math.floor(bench.clock.time / 1000) - 200 }
    const old = await comeBack(visitor, await begunProof(visitor))
    expect([old.status, codeOf(old)]).toEqual([400, 'id-token: auth-time'])
    expect((await visitor.post(`${path}/one/link`, {}, ownForm)).status).toBe(303)
  })

  test('is not proven in a browser that is signed out', async () => {
    const visitor = await signedInBefore()
    const url = await begunProof(visitor)
    visitor.jar.delete('__Host-session')
    const answer = await comeBack(visitor, url)
    expectNoSession(answer, visitor)
  })

  test('is not linked by a callback that was started as a proof', async () => {
    const visitor = await signedInBefore()
    const url = bench.two.authorize(await pressed(visitor, '/confirm-provider/with/two', { return_to: path }))
    expect((await comeBack(visitor, url)).status).toBe(401)
    expect(await linksOf(visitor.account.id)).toHaveLength(1)
  })
})

test("the pages of a second factor precede the provider's", async () => {
  const person = await withTotp(bench)
  await bench.link(person.account.id)
  await signInWith(person, bench.one)
  await person.post('/second-factor', { code: person.code() }, ownForm)
  bench.advance(301)
  const answer = await person.post(`${path}/two/link`, {}, ownForm)
  expect(locationOf(answer)).toEqual([303, `/second-factor?return_to=${encodeURIComponent(path)}`])
})

test.each(['/account/providers', '/confirm-provider'])('%s requires a sign-in', async (page) => {
  const answer = await bench.visitor().get(page)
  expect(locationOf(answer)).toEqual([303, `/sign-in?return_to=${encodeURIComponent(page)}`])
})
