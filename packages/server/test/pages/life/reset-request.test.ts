import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../../support/bench.ts'
import { ownForm, titleOf } from '../../support/forms.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'
import { createComparingBench } from './answered-alike.ts'

const bench = createBench()
const titled = (answer: Answer) => [answer.status, titleOf(answer)]
const asked = [200, 'Check your email']
const ask = (visitor: Visitor, email: string, headers: Readonly<Record<string, string>> = ownForm) =>
  visitor.post('/reset', { email }, headers)
const mailsTo = ({ outbox }: { readonly outbox: readonly { readonly to: string }[] }, to: string) =>
  outbox.filter((mail) => mail.to === to).length

describe('/reset without a link', () => {
  test('takes the address, and mails a link that sets a new password', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const page = await visitor.get('/reset')
    expect(titled(page)).toEqual([200, 'Reset your password'])
    expect(page.text).toMatch(/<input id="email" name="email" type="email" autocomplete="username"[^>]* required/)
    const answer = await ask(visitor, email)
    expect([...titled(answer), answer.cookies]).toEqual([...asked, []])
    expect(answer.text).not.toContain(email)
    const token = await bench.mailedToken(email)
    expect((await visitor.post('/reset', { token, password: newPassword }, ownForm)).status).toBe(200)
    expect((await visitor.signIn(email, newPassword)).status).toBe(200)
  })

  test('is answered with the same bytes after the same work, whether or not the address has an account', async () => {
    const at = createComparingBench()
    const [known, locked, unverified, deleted] = [
      await at.insert(),
      await at.insert({ status: 'locked' }),
      await at.insert({ status: 'unverified' }),
      await at.insert(),
    ]
    await at.stores.accounts.remove(deleted.id)
    await at.show('/reset', { email: known.email })
    const first = await at.show('/reset', { email: known.email })
    expect([first.status, first.hashes, first.calls]).toEqual([200, 0, ['accounts.getByEmail']])
    for (const { email } of [locked, unverified, deleted, { email: 'unknown@example.com' }]) {
      expect(await at.show('/reset', { email })).toEqual(first)
    }
    const { calls: _calls, ...shown } = first
    for (const email of ['no address', 'a@b@c', '<b>', `${'x'.repeat(300)}@example.com`]) {
      expect(await at.show('/reset', { email })).toMatchObject(shown)
    }
  })

  test('sends no mail to an address without an account, and at most three to others', async () => {
    const { email } = await bench.insert()
    for (let times = 0; times < 5; times++) {
      expect(titled(await ask(bench.visitor(), email))).toEqual(asked)
      expect(titled(await ask(bench.visitor(), `not-${email}`))).toEqual(asked)
    }
    const withheld = () => bench.events.filter(({ type }) => type === 'mail.withheld').length
    await expect.poll(() => [mailsTo(bench, email), withheld()]).toEqual([3, 2])
    expect(mailsTo(bench, `not-${email}`)).toBe(0)
  })

  test("still mails the owner's device after strangers have used up the limit", async () => {
    const owner = await bench.signedIn()
    const { email } = owner.account
    for (let times = 0; times < 4; times++) await ask(bench.visitor(), email)
    await expect.poll(() => mailsTo(bench, email)).toBe(3)
    await ask(owner, email)
    await expect.poll(() => mailsTo(bench, email)).toBe(4)
  })

  test.each(['', ' ', '\t'])('tells that the address is missing: %j', async (email) => {
    const answer = await ask(bench.visitor(), email)
    expect(titled(answer)).toEqual([400, 'Reset your password'])
    expect(answer.text).toContain('role="alert">Enter your email.</p>')
    expect(answer.text).toMatch(/name="email"[^>]* aria-invalid="true" aria-describedby="problem" autofocus>/)
  })

  test.each([
    ['another site', { ...ownForm, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('refuses a form that was sent by %s, and sends no mail', async (_who, headers) => {
    const { email } = await bench.insert()
    expect(titled(await ask(bench.visitor(), email, headers))).toEqual([403, 'Request blocked'])
    await bench.mailedToken((await request()).email)
    expect(mailsTo(bench, email)).toBe(0)
  })

  test.each([
    ['an address that stands twice', (email: string) => `email=${email}&email=${email}`],
    ['a list', (email: string) => `email[]=${email}`],
    ['a link without its token', (email: string) => `email=${email}&token=`],
  ])('sends no mail for %s', async (_what, bodyOf) => {
    const { email } = await bench.insert()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await bench.visitor().postText('/reset', bodyOf(email), { ...ownForm, ...type })
    expect(titled(answer)).toEqual([400, 'This link no longer works'])
    expect(answer.text).toContain('<a href="/reset">Get a new link</a>')
    await bench.mailedToken((await request()).email)
    expect(mailsTo(bench, email)).toBe(0)
  })

  test('keeps what was open, and the password, until the link is used', async () => {
    const visitor = await bench.signedIn()
    const { email } = visitor.account
    await ask(bench.visitor(), email)
    await bench.mailedToken(email)
    expect((await visitor.get('/account')).status).toBe(200)
    expect((await bench.visitor().signIn(email, password)).status).toBe(200)
  })

  test('sends no mail when it is opened', async () => {
    const { email } = await bench.insert()
    for (const method of ['GET', 'HEAD']) {
      const url = `https://example.com/reset?email=${email}`
      expect((await bench.server.fetch(new Request(url, { method }))).status).toBe(200)
    }
    await bench.mailedToken((await request()).email)
    expect(mailsTo(bench, email)).toBe(0)
  })
})

/** One that is mailed: what was asked for before it was mailed before, or never is. */
async function request() {
  const account = await bench.insert()
  await ask(bench.visitor(), account.email)
  return account
}
