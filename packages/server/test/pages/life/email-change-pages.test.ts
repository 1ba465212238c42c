import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { life } from '../../account-life/operations.ts'
import {
  type Bench,
  type BenchOptions,
  createBench,
  newPassword,
  password,
  type SignedIn,
  withoutReservations,
} from '../../support/bench.ts'
import { okData } from '../../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import type { Answer } from '../../support/visitor.ts'

const bench = createBench()
const create = (options: BenchOptions['options'] = {}) => createBench({ options })
let drawn = 0
const paths = ['/confirm-email-change', '/undo-email-change'] as const
type Path = (typeof paths)[number]

/** What a browser sends when a user follows a link in a web mail. */
const { origin: _, ...navigation } = ownForm
const fromMail = { ...navigation, 'sec-fetch-site': 'cross-site' }
const send = ({ visitor }: Bench, path: Path, token: string, headers: Readonly<Record<string, string>> = ownForm) =>
  visitor().post(path, { token }, headers)
const titled = (answer: Answer) => [answer.status, titleOf(answer)]
const dead = [400, 'This link no longer works']
const emailOf = async ({ stores }: Bench, { account: { id } }: SignedIn) => (await stores.accounts.get(id))?.email

/** An account that has asked for another address, and the tokens of both mails. */
async function ask(at: Bench = bench) {
  const visitor = await at.signedIn()
  const { email: from } = visitor.account
  const to = `new-${++drawn}@example.org`
  okData(await visitor.ask(life.requestEmailChange, { input: { newEmail: to } }))
  const [confirm, other] = [await at.mailedToken(to), await at.mailedToken(from)]
  return { visitor, from, to, confirm, other, '/confirm-email-change': confirm, '/undo-email-change': other }
}

describe('/confirm-email-change', () => {
  test('names the new address, and changes it only by the button, not when a mail program opens the link', async () => {
    const { visitor, from, to, confirm } = await ask()
    const elsewhere = bench.visitor()
    await elsewhere.signIn(from, password)
    const page = await bench.visitor().get(`/confirm-email-change?token=${confirm}`, fromMail)
    expect([...titled(page), fieldValue(page, 'token')]).toEqual([200, 'Confirm email change', confirm])
    expect(page.text).toContain(`Confirm to change your account’s email to <strong>${to}</strong>.`)
    expect(page.text).not.toContain(from)
    expect(page.text).not.toContain('both addresses')
    expect(await emailOf(bench, visitor)).toBe(from)
    const done = await send(bench, '/confirm-email-change', confirm)
    expect([...titled(done), done.cookies]).toEqual([200, 'Email changed', []])
    expect(done.text).toContain(`Your account’s email is now <strong>${to}</strong>. The device that requested`)
    expect(done.text).toContain('<a href="/sign-in">Sign in</a>')
    expect(await emailOf(bench, visitor)).toBe(to)
    expect((await visitor.get('/account')).text).toContain(`<strong>${to}</strong>`)
    expect((await elsewhere.get('/account')).status).toBe(303)
  })

  test('tells that the other address must confirm, until the second confirmation changes it', async () => {
    const both = create({ accounts: { emailUndoDays: 0 } })
    const { visitor, from, to, confirm, other } = await ask(both)
    const show = async (token: string) =>
      (await both.visitor().get(`/confirm-email-change?token=${token}`, fromMail)).text
    for (const token of [confirm, other]) {
      expect(await show(token)).toContain('Your email changes once both addresses have confirmed.')
    }
    const half = await send(both, '/confirm-email-change', other)
    expect(titled(half)).toEqual([200, 'One more confirmation needed'])
    expect(half.text).toContain('We also sent a link to your other address.')
    expect(await emailOf(both, visitor)).toBe(from)
    expect(await show(other)).toContain('This link no longer works')
    expect(await show(confirm)).not.toContain('both addresses')
    expect(titled(await send(both, '/confirm-email-change', confirm))).toEqual([200, 'Email changed'])
    expect(await emailOf(both, visitor)).toBe(to)
  })

  test('tells at once that the account has changed since, or that the address was taken', async () => {
    const { visitor, from, confirm } = await ask()
    okData(await visitor.ask('mutation { revokeAllSessions }'))
    expect(titled(await bench.visitor().get(`/confirm-email-change?token=${confirm}`))).toEqual(dead)
    const late = await ask()
    await bench.insert({ email: late.to })
    expect(titled(await send(bench, '/confirm-email-change', late.confirm))).toEqual(dead)
    expect([await emailOf(bench, visitor), await emailOf(bench, late.visitor)]).toEqual([from, late.from])
  })
})

describe('/undo-email-change', () => {
  test.each(['before', 'after'])(
    'restores the address %s the change was confirmed, and tells its other effects',
    async (when) => {
      const { visitor, from, to, confirm, other } = await ask()
      if (when === 'after') {
        await send(bench, '/confirm-email-change', confirm)
        await bench.mailedToken(from)
      }
      const page = await bench.visitor().get(`/undo-email-change?token=${other}`, fromMail)
      expect([...titled(page), fieldValue(page, 'token')]).toEqual([200, 'Undo email change', other])
      expect(page.text).toContain(`will change back to <strong>${from}</strong>.`)
      expect(page.text).toContain('Your password will stop working')
      expect(page.text).not.toContain(to)
      expect(await emailOf(bench, visitor)).toBe(when === 'after' ? to : from)
      expect((await visitor.get('/account')).status).toBe(200)
      const done = await send(bench, '/undo-email-change', other)
      expect([...titled(done), done.cookies]).toEqual([200, 'Email change undone', []])
      expect(done.text).toContain(`Your account’s email is <strong>${from}</strong> again.`)
      expect((await visitor.get('/account')).status).toBe(303)
      expect((await bench.visitor().signIn(from, password)).status).toBe(401)
      const token = await bench.mailedToken(from)
      expect((await bench.visitor().post('/reset', { token, password: newPassword }, ownForm)).status).toBe(200)
      expect((await bench.visitor().signIn(from, newPassword)).status).toBe(200)
      for (const [path, used] of [
        ['/undo-email-change', other],
        ['/confirm-email-change', confirm],
      ] as const) {
        expect(titled(await bench.visitor().get(`${path}?token=${used}`))).toEqual(dead)
        expect(titled(await send(bench, path, used))).toEqual(dead)
      }
    },
  )
})

describe.each(paths)('%s', (path) => {
  const isAsIs = async ({ visitor, from }: { readonly visitor: SignedIn; readonly from: string }) => {
    expect(await emailOf(bench, visitor)).toBe(from)
    expect((await visitor.get('/account')).status).toBe(200)
  }

  test('can be opened any number of times, even by HEAD, and the link stays valid', async () => {
    const asked = await ask()
    for (const method of ['GET', 'HEAD', 'GET']) {
      const url = `https://example.com${path}?token=${asked[path]}`
      expect((await bench.server.fetch(new Request(url, { method }))).status).toBe(200)
    }
    await isAsIs(asked)
    expect((await send(bench, path, asked[path])).status).toBe(200)
  })

  test('looks the same for every signed-in user', async () => {
    const asked = await ask()
    const bare = ({ text }: Answer) => text.replace(/nonce="[^"]*"/, '')
    const link = `${path}?token=${asked[path]}`
    const other = await bench.signedIn()
    expect(bare(await other.get(link, fromMail))).toBe(bare(await bench.visitor().get(link, fromMail)))
    expect((await other.post(path, { token: asked[path] }, ownForm)).status).toBe(200)
    expect((await other.get('/account')).text).toContain(other.account.email)
  })

  test('works once', async () => {
    const asked = await ask()
    const sent = await Promise.all(Array.from({ length: 5 }, () => send(bench, path, asked[path])))
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  })

  test('accepts the link of its own mail only', async () => {
    const asked = await ask()
    const token = asked[path === paths[0] ? paths[1] : paths[0]]
    expect(titled(await bench.visitor().get(`${path}?token=${token}`))).toEqual(dead)
    expect(titled(await send(bench, path, token))).toEqual(dead)
    await isAsIs(asked)
  })

  test('is dead after its lifetime', async () => {
    const asked = await ask()
    bench.advance(path === paths[0] ? 25 * 3_600 : 8 * 86_400)
    expect(titled(await bench.visitor().get(`${path}?token=${asked[path]}`))).toEqual(dead)
    expect(titled(await send(bench, path, asked[path]))).toEqual(dead)
    expect(await emailOf(bench, asked.visitor)).toBe(asked.from)
  })

  test.each([
    ['another site', { ...ownForm, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a sibling of the same site', { ...ownForm, origin: 'https://a.example.com', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin', { origin: 'null' }],
  ])('refuses a form that was sent by %s, and the link stays valid', async (_who, headers) => {
    const asked = await ask()
    expect(titled(await send(bench, path, asked[path], headers))).toEqual([403, 'Request blocked'])
    await isAsIs(asked)
    expect((await send(bench, path, asked[path])).status).toBe(200)
  })

  test.each([
    ['a token that stands twice', (token: string) => `token=${token}&token=${token}`],
    ['a list', (token: string) => `token[]=${token}`],
    ['a member of an object', (token: string) => `token[value]=${token}`],
    ['another name', (token: string) => `Token=${token}`],
    ['half a token', (token: string) => `token=${token.slice(0, 40)}`],
    ['two tokens in one', (token: string) => `token=${token},${token}`],
    ['white space around it', (token: string) => `token=+${token}+`],
    ['more than a form has', (token: string) => `token=${token}&x=${'x'.repeat(8200)}`],
  ])('refuses a form from %s', async (_what, bodyOf) => {
    const asked = await ask()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(titled(await bench.visitor().postText(path, bodyOf(asked[path]), { ...ownForm, ...type }))).toEqual(dead)
    await isAsIs(asked)
  })

  test.each(['', '?', '?token', '?token=', '?token=a&token=b', '?token=%ff', `?token=${'x'.repeat(5000)}`])(
    'shows a dead link for %j',
    async (query) => {
      const page = await bench.visitor().get(`${path}${query}`)
      expect([...titled(page), page.text.includes('<form')]).toEqual([...dead, false])
    },
  )

  test('shows no part of any text that is no token', async () => {
    const { text: plain } = await bench.visitor().get(`${path}?token=t`)
    const bare = (text: string) => text.replace(/nonce="[^"]*"/, '')
    const token = fc.string({ unit: anyCharacter, minLength: 1 })
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        const answer = await bench.visitor().get(`${path}?token=${encodeURIComponent(text)}`)
        expect([answer.status, bare(answer.text)]).toEqual([400, bare(plain)])
      }),
    )
  })

  test('is 404 if addresses cannot be changed', async () => {
    const stores = withoutReservations(bench.stores)
    const without = create({ stores })
    expect((await without.visitor().get(`${path}?token=t`)).status).toBe(404)
    expect((await without.visitor().post(path, { token: 't' }, ownForm)).status).toBe(404)
  })
})
