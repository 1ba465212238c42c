import { codeAt } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import { createFactorBench, withTotp } from '../support/factor-bench.ts'
import { ownForm, titleOf } from '../support/forms.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const bench = createFactorBench({ options: { signIn: { secondFactor: { required: 'all', graceSeconds: 86_400 } } } })
const strict = createFactorBench({ options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } } })
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}) =>
  visitor.post(path, fields, ownForm)
const sendPassword = (visitor: Visitor, email: string, returnTo = '/drafts') =>
  send(visitor, '/sign-in', { email, password, return_to: returnTo })
const landing = ({ status, headers }: Answer) => [status, headers.get('location')]

const overdue = 'Your account requires a second factor. Set one up to continue.'

/** An account that has to set up a factor first, signed in by the page. */
async function signedInByPage(): Promise<Visitor> {
  const { email } = await strict.insert()
  const visitor = strict.visitor()
  expect(landing(await sendPassword(visitor, email))).toEqual([303, '/account'])
  return visitor
}

describe('the pages of an account that must have a second factor', () => {
  test('continue within the grace period, and show its expiry', async () => {
    const { email } = await bench.insert()
    const visitor = bench.visitor()
    const dueAt = new Date(bench.clock.time + 86_400_000).toISOString()
    expect(landing(await sendPassword(visitor, email))).toEqual([303, '/drafts'])
    const { text } = await visitor.get('/account')
    expect(text).toContain(`Starting <time datetime="${dueAt}">`)
    expect(text).not.toContain(overdue)
    expect(landing(await visitor.get('/sign-in?return_to=%2Fdrafts'))).toEqual([303, '/drafts'])
  })

  test('do not mention it to an account with a factor', async () => {
    const person = await withTotp(bench)
    await sendPassword(person, person.account.email)
    await send(person, '/second-factor', { code: person.code(), return_to: '/account' })
    const { status, text } = await person.get('/account')
    expect([status, text.includes('requires a second factor')]).toEqual([200, false])
  })

  test('redirect to the account after the grace period, with the next step', async () => {
    const visitor = await signedInByPage()
    const { status, text } = await visitor.get('/account')
    expect([status, text.includes(overdue)]).toEqual([200, true])
    expect(text).toMatch(/<a href="\/account\/totp">/)
    expect(text).toMatch(/<a href="\/account\/passkeys">/)
    expect(landing(await visitor.get('/sign-in?return_to=%2Fdrafts'))).toEqual([303, '/account'])
  })

  test.each([
    ['/account/recovery-codes', { code: '123456' }],
    ['/account/totp/remove', { code: '123456' }],
    ['/account/passkeys/remove', { id: 'x' }],
  ])('redirect to the account from a closed page: %s', async (path, fields) => {
    const visitor = await signedInByPage()
    const answer = await send(visitor, path, fields)
    expect([...landing(answer), answer.cookies]).toEqual([303, '/account', []])
    if (path === '/account/recovery-codes') expect(landing(await visitor.get(path))).toEqual([303, '/account'])
  })

  test('set up an app without another sign-in, and are open from then on', async () => {
    const visitor = await signedInByPage()
    expect((await visitor.get('/account/totp')).status).toBe(200)
    const started = await send(visitor, '/account/totp/start')
    const secret = /aria-label="Setup key">([A-Z2-7 ]+)</.exec(started.text)?.[1]?.replaceAll(' ', '') ?? ''
    const confirmed = await send(visitor, '/account/totp/confirm', { code: codeAt(secret, strict.clock.time) })
    expect([confirmed.status, titleOf(confirmed)]).toEqual([200, 'Save your recovery codes'])
    const { status, text } = await visitor.get('/account')
    expect([status, text.includes('requires a second factor')]).toEqual([200, false])
    expect((await visitor.get('/account/recovery-codes')).status).toBe(200)
    expect((await visitor.ask('{ viewer { email role } }')).errors).toEqual([])
  })

  test('require the password before a factor is set up long after the sign-in', async () => {
    const visitor = await signedInByPage()
    strict.advance(301)
    for (const path of ['/account/totp', '/account/passkeys']) {
      const asked = await send(visitor, `${path}/start`, { name: 'Laptop' })
      expect(landing(asked)).toEqual([303, `/confirm-password?return_to=${encodeURIComponent(path)}`])
    }
    expect((await visitor.get('/confirm-password')).status).toBe(200)
    const confirmed = await send(visitor, '/confirm-password', { password, return_to: '/account/passkeys' })
    expect(landing(confirmed)).toEqual([303, '/account/passkeys'])
    const started = await send(visitor, '/account/passkeys/start', { name: 'Laptop' })
    expect([started.status, titleOf(started)]).toEqual([200, 'Create your passkey'])
  })

  test('let it sign out', async () => {
    const visitor = await signedInByPage()
    expect(landing(await send(visitor, '/sign-out'))).toEqual([303, '/sign-in'])
    expect(landing(await visitor.get('/account'))).toEqual([303, '/sign-in?return_to=%2Faccount'])
  })
})
