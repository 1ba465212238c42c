import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../../support/bench.ts'
import {
  answerTo,
  createAskingBench,
  decide,
  follow,
  hiddenFields,
  open,
  requestPath,
} from '../../support/clients/asking.ts'
import { createFactorBench, withTotp } from '../../support/factor-bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

const bench = createAskingBench()
let drawn = 0
const freeAddress = () => `grace-${++drawn}@example.org`

/** Where the link with a text leads. */
const linkOf = ({ text }: Answer, said: string): string => {
  const found = [...text.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].find(([, , words]) => words === said)
  return (found?.[1] ?? `no link "${said}"`).replaceAll('&amp;', '&')
}
const targetsOf = ({ headers }: Answer) =>
  /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]?.split(' ')
const atReader = ["'self'", 'https://reader.example.org']
const toReader = 'Then you’ll continue to <strong><bdi>Reader</bdi></strong>.'
const wayCookie = ({ cookies }: Answer) => cookies.filter((line) => line.startsWith('__Host-way='))
const send = (visitor: Visitor, path: string, page: Answer, fields: Readonly<Record<string, string>>) =>
  visitor.post(path, { ...hiddenFields(page), ...fields }, ownForm)

/** Signs in by the link of a page, allows the client what it asks for, and returns the answer that the client gets. */
async function goOn(visitor: Visitor, page: Answer, fields: { readonly email: string; readonly password: string }) {
  const signIn = await visitor.get(linkOf(page, 'Sign in'))
  expect(signIn.text).toContain('Sign in to continue to <strong><bdi>Reader</bdi></strong>.')
  const consent = await follow(visitor, await send(visitor, '/sign-in', signIn, fields))
  expect(titleOf(consent)).toBe('Allow access?')
  return answerTo(await decide(visitor, consent, 'allow'))
}

describe('a sign-in for a client', () => {
  test('continues after a sign-up and the link of its mail, whose pages name the client', async () => {
    const visitor = bench.visitor()
    const email = freeAddress()
    const signUp = await visitor.get(linkOf(await open(visitor, requestPath()), 'Create an account'))
    const refused = await send(visitor, '/sign-up', signUp, { name: 'Grace', email, password: 'short' })
    const sent = await send(visitor, '/sign-up', refused, { name: 'Grace', email, password })
    expect([signUp, refused, sent].map(({ status }) => status)).toEqual([200, 400, 200])
    for (const page of [signUp, refused]) expect(page.text).toContain(toReader)
    for (const page of [signUp, refused, sent]) expect(targetsOf(page)).toEqual(atReader)
    expect((await visitor.get(linkOf(sent, 'Didn’t get an email? Sign up again'))).text).toContain(toReader)
    expect(titleOf(await visitor.get(linkOf(sent, 'Sign in')))).toBe('Sign in')
    const token = await bench.mailedToken(email)
    const done = await visitor.post('/verify', { token }, ownForm)
    expect(titleOf(done)).toBe('Email confirmed')
    expect(await goOn(visitor, done, { email, password })).toMatchObject({ state: 'state-1' })
  })

  test('is found again after a reset and the link of its mail', async () => {
    const visitor = bench.visitor()
    const { email } = await bench.insert()
    const reset = await visitor.get(linkOf(await open(visitor, requestPath()), 'Forgot your password?'))
    const empty = await send(visitor, '/reset', reset, { email: '' })
    const sent = await send(visitor, '/reset', empty, { email })
    expect([reset, empty, sent].map(({ status }) => status)).toEqual([200, 400, 200])
    for (const page of [reset, empty, sent]) expect(targetsOf(page)).toEqual(atReader)
    const back = linkOf(reset, 'Remember your password? Sign in')
    expect((await visitor.get(back)).text).toContain('Sign in to continue to')
    expect(linkOf(sent, 'Didn’t get an email? Try again')).toBe(back.replace('/sign-in', '/reset'))
    const token = await bench.mailedToken(email)
    const done = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    expect(await goOn(visitor, done, { email, password: newPassword })).toMatchObject({ state: 'state-1' })
  })

  test('does not continue from a mail once its request has expired, or in another browser', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const asking = linkOf(await open(visitor, requestPath()), 'Forgot your password?')
    await send(visitor, '/reset', await visitor.get(asking), { email })
    const token = await bench.mailedToken(email)
    const other = bench.visitor()
    other.jar.set('__Host-way', visitor.jar.get('__Host-way') ?? '')
    const done = await other.post('/reset', { token, password: newPassword }, ownForm)
    expect(linkOf(done, 'Sign in')).toBe('/sign-in')

    await send(visitor, '/reset', await visitor.get(asking), { email })
    bench.advance(1801)
    const again = await visitor.post('/reset', { token: await bench.mailedToken(email), password }, ownForm)
    expect([titleOf(again), linkOf(again, 'Sign in')]).toEqual(['Password changed', '/sign-in'])
  })
})

describe('a destination', () => {
  const way = /^__Host-way=to=%2Fnotes%3Fpage%3D2; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/

  test('is kept until the link of the mail was used, and then forgotten', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const sent = await visitor.post('/reset', { email, return_to: '/notes?page=2' }, ownForm)
    expect(wayCookie(sent)).toEqual([expect.stringMatching(way)])
    const dead = await visitor.get('/reset?token=none')
    expect([linkOf(dead, 'Get a new link'), dead.cookies]).toEqual(['/reset?return_to=%2Fnotes%3Fpage%3D2', []])
    const token = await bench.mailedToken(email)
    const done = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    expect(linkOf(done, 'Sign in')).toBe('/sign-in?return_to=%2Fnotes%3Fpage%3D2')
    expect(wayCookie(done)).toEqual([expect.stringContaining('__Host-way=; Max-Age=0')])
    expect(visitor.jar.has('__Host-way')).toBe(false)
  })

  test('is used after a reset that requires a second factor before it sets the password', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    const { id, email } = person.account
    const { epoch = 0 } = (await bench.stores.accounts.get(id)) ?? {}
    await bench.stores.accounts.replace(id, { epoch }, { passwordHash: null })
    const visitor = bench.visitor()
    await visitor.post('/reset', { email, return_to: '/notes?page=2' }, ownForm)
    const token = await bench.mailedToken(email)
    const pending = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    const secondFactor = '/second-factor?return_to=%2Fnotes%3Fpage%3D2'
    expect([pending.status, pending.headers.get('location')]).toEqual([303, secondFactor])
    // The link is usable until the factor was shown, so who comes back to it finds the way once more.
    const again = await visitor.post('/reset', { token, password: newPassword }, ownForm)
    expect(again.headers.get('location')).toBe(secondFactor)
    const page = await visitor.get(secondFactor)
    const wrong = await visitor.post('/second-factor', { ...hiddenFields(page), code: '000000' }, ownForm)
    expect([wrong.status, fieldValue(wrong, 'return_to')]).toEqual([401, '/notes?page=2'])
    const done = await visitor.post('/second-factor', { ...hiddenFields(wrong), code: person.code() }, ownForm)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/notes?page=2'])
    expect([visitor.jar.has('__Host-way'), visitor.jar.has('__Host-session')]).toEqual([false, true])
  })

  test('is kept through the second mail of a sign-up that was confirmed without its password', async () => {
    const email = freeAddress()
    const visitor = bench.visitor()
    await visitor.post('/sign-up', { name: 'Grace', email, password, return_to: '/notes' }, ownForm)
    visitor.jar.delete('__Host-sign-up')
    const done = await visitor.post('/verify', { token: await bench.mailedToken(email) }, ownForm)
    expect([done.text.includes('have a password yet'), linkOf(done, 'Didn’t get an email? Try again')]).toEqual([
      true,
      '/reset?return_to=%2Fnotes',
    ])
    const chosen = await visitor.post('/reset', { token: await bench.mailedToken(email), password }, ownForm)
    expect(linkOf(chosen, 'Sign in')).toBe('/sign-in?return_to=%2Fnotes')
  })

  test('is removed when a mail is requested without a destination', async () => {
    const visitor = bench.visitor()
    const email = freeAddress()
    await visitor.post('/reset', { email, return_to: '/notes' }, ownForm)
    const plain = await visitor.post('/sign-up', { name: 'Grace', email, password }, ownForm)
    expect(wayCookie(plain)).toEqual([expect.stringContaining('__Host-way=; Max-Age=0')])
    expect(wayCookie(await bench.visitor().post('/reset', { email }, ownForm))).toEqual([])
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'notes', ''])(
    'is not kept unless it is a path of this service: %j',
    async (path) => {
      const visitor = bench.visitor()
      for (const page of ['/sign-up', '/reset']) {
        const shown = await visitor.get(`${page}?return_to=${encodeURIComponent(path)}`)
        expect([shown.status, fieldValue(shown, 'return_to'), shown.text.includes('evil')]).toEqual([
          200,
          undefined,
          false,
        ])
      }
      const { email } = await bench.insert()
      const sent = await visitor.post('/reset', { email, return_to: path }, ownForm)
      expect([sent.status, sent.cookies, linkOf(sent, 'Sign in')]).toEqual([200, [], '/sign-in'])
      visitor.jar.set('__Host-way', new URLSearchParams({ to: path }).toString())
      const done = await visitor.post('/reset', { token: await bench.mailedToken(email), password }, ownForm)
      expect(linkOf(done, 'Sign in')).toBe('/sign-in')
    },
  )

  test('is not kept if it is longer than a cookie allows', async () => {
    const visitor = bench.visitor()
    const sent = await visitor.post('/reset', { email: freeAddress(), return_to: `/${'%20'.repeat(500)}` }, ownForm)
    expect([sent.status, sent.cookies]).toEqual([200, []])
  })

  test.each(['/sign-up', '/reset'])('does not tell at %s which addresses have an account', async (page) => {
    const { email } = await bench.insert()
    const bare = ({ text }: Answer) => text.replace(/nonce="[^"]*"/, '')
    const fields = { name: 'Grace', password, return_to: '/notes' }
    const taken = await bench.visitor().post(page, { ...fields, email }, ownForm)
    const free = await bench.visitor().post(page, { ...fields, email: freeAddress() }, ownForm)
    expect([bare(taken), wayCookie(taken)]).toEqual([bare(free), wayCookie(free)])
  })
})

describe('a link that no longer works', () => {
  test.each([
    ['/verify', 'Already confirmed your email? Sign in', '/sign-in'],
    ['/verify', 'Sign up again to get a new link', '/sign-up'],
    ['/reset', 'Get a new link', '/reset'],
    ['/confirm-email-change', 'Sign in to change your email again', '/account/email'],
    ['/undo-email-change', 'Already undid the change? Reset your password', '/reset'],
  ])('links from %s: %s', async (path, said, target) => {
    for (const dead of [
      await bench.visitor().get(`${path}?token=none`),
      await bench.visitor().post(path, { token: 'none' }, ownForm),
    ]) {
      expect([dead.status, linkOf(dead, said)]).toEqual([400, target])
    }
  })

  test('does not link to the sign-up if administrators create the accounts', async () => {
    const closed = createBench({ options: { signUp: 'closed' } })
    const dead = await closed.visitor().get('/verify?token=none')
    expect([linkOf(dead, 'Already confirmed your email? Sign in'), dead.text.includes('/sign-up')]).toEqual([
      '/sign-in',
      false,
    ])
  })
})
