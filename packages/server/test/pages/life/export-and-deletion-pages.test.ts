import { describe, expect, test, vi } from 'vitest'
import { type BenchOptions, createBench, password } from '../../support/bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'
import type { Answer, Visitor } from '../../support/visitor.ts'

const create = (options: BenchOptions['options'] = {}) =>
  createBench({ options: { ...options, accounts: { deletion: { onDelete: () => {} }, ...options.accounts } } })
const titled = (answer: Answer) => [answer.status, titleOf(answer)]
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}) =>
  visitor.post(path, fields, ownForm)
const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200

describe('/account/export', () => {
  test('answers with the data of the account alone, as a file that is not kept and has no secret', async () => {
    const bench = create({ accounts: { dataExport: { application: () => ({ notes: ['mine'] }) } } })
    const [reader, other] = [await bench.signedIn(), await bench.signedIn()]
    expect(titled(await reader.get('/account/export'))).toEqual([200, 'Download your data'])
    const file = await send(reader, '/account/export')
    expect([file.status, file.cookies]).toEqual([200, []])
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const { id, email, name } = reader.account
    expect(JSON.parse(file.text)).toMatchObject({
      account: { id, email, name },
      sessions: [{ kind: 'session' }],
      application: { notes: ['mine'] },
    })
    for (const secret of [other.account.id, reader.account.passwordHash ?? '', ...reader.jar.values()]) {
      expect(file.text).not.toContain(secret)
    }
    expect(bench.events.filter(({ type }) => type === 'account.exported')).toMatchObject([{ accountId: id }])
  })
})

describe('/account/delete', () => {
  test('deletes the account after its address was typed, with all sessions and cookies', async () => {
    const onDelete = vi.fn()
    const bench = create({ accounts: { deletion: { onDelete } } })
    const reader = await bench.signedIn()
    const { id, email } = reader.account
    const elsewhere = bench.visitor()
    await elsewhere.signIn(email, password)
    const page = await reader.get('/account/delete')
    expect([...titled(page), fieldValue(page, 'email')]).toEqual([200, 'Delete account', undefined])
    expect(page.text).toContain(`enter your email, <strong>${email}</strong>:`)
    expect(page.text).toContain('You can’t undo this.')
    // Of a step that was begun and left.
    reader.jar.set('__Host-challenge', 'totp!left')
    const done = await send(reader, '/account/delete', { email: ` ${email.toUpperCase()} ` })
    expect(titled(done)).toEqual([200, 'Account deleted'])
    expect([...reader.jar.keys()]).toEqual(['__Host-device'])
    expect(onDelete).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id, email }))
    expect(await bench.stores.accounts.get(id)).toBeNull()
    expect([await isSignedIn(reader), await isSignedIn(elsewhere)]).toEqual([false, false])
    await expect.poll(() => bench.outbox.find(({ to }) => to === email)?.kind).toBe('account-deleted')
    // Sent twice.
    expect((await send(reader, '/account/delete', { email })).headers.get('location')).toMatch(/^\/sign-in/)
  })

  test.each<[what: string, typed: (own: string, other: string) => string]>([
    ['nothing', () => ''],
    ['the address of another account', (_own, other) => other],
    ['a part of the address', (own) => own.slice(1)],
    ['the address twice', (own) => `${own},${own}`],
    ['markup', () => '"><script>alert(1)</script>'],
    ['a very long text', () => 'x'.repeat(8000)],
  ])('keeps the account where %s was typed', async (_what, typed) => {
    const onDelete = vi.fn()
    const bench = create({ accounts: { deletion: { onDelete } } })
    const [reader, other] = [await bench.signedIn(), await bench.signedIn()]
    const before = await bench.stores.accounts.get(reader.account.id)
    const answer = await send(reader, '/account/delete', { email: typed(reader.account.email, other.account.email) })
    expect([...titled(answer), answer.cookies]).toEqual([400, 'Delete account', []])
    expect(answer.text).toContain('role="alert">That isn’t this account’s email.</p>')
    expect(answer.text).not.toContain('<script')
    expect(onDelete).not.toHaveBeenCalled()
    expect(await bench.stores.accounts.get(reader.account.id)).toEqual(before)
    expect([await isSignedIn(reader), await isSignedIn(other)]).toEqual([true, true])
  })

  test('accepts an address in the spelling of the stored account, too', async () => {
    const bench = create()
    const { id, email } = await bench.insert({ email: 'Ada@Example.com' })
    const { accounts } = bench.stores
    const found = async () => accounts.get(id)
    const options = {
      stores: { ...bench.stores, accounts: Object.assign(Object.create(accounts), { getByEmail: found }) },
    }
    const reader = createBench({
      beside: bench,
      options: { accounts: { deletion: { onDelete: () => {} } }, ...options },
    }).visitor()
    await reader.signIn(email, password)
    expect((await send(reader, '/account/delete', { email })).status).toBe(200)
    expect(await found()).toBeNull()
  })

  test.each(['email=$&email=$', 'email[]=$', 'confirm=true'])('keeps the account at a form %j', async (form) => {
    const bench = create()
    const reader = await bench.signedIn()
    const body = form.replaceAll('$', encodeURIComponent(reader.account.email))
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await reader.postText('/account/delete', body, { ...ownForm, ...type })).status).toBe(400)
    expect(await isSignedIn(reader)).toBe(true)
  })

  test('keeps the last administrator, and tells the reason', async () => {
    const bench = create()
    const [first, second] = [await bench.signedIn('ADMIN'), await bench.signedIn('ADMIN')]
    expect((await send(first, '/account/delete', { email: first.account.email })).status).toBe(200)
    const refused = await send(second, '/account/delete', { email: second.account.email })
    expect(titled(refused)).toEqual([400, 'Delete account'])
    expect(refused.text).toContain('role="alert">At least one administrator must remain.</p>')
    expect(await bench.stores.accounts.get(second.account.id)).toMatchObject({ roles: ['ADMIN'], status: 'active' })
    expect(await isSignedIn(second)).toBe(true)
  })

  test('keeps the account and its session if the application refuses the deletion', async () => {
    let isReady = false
    const onDelete = () => {
      if (!isReady) throw new Error('the database at 10.0.0.7 does not answer')
    }
    const bench = create({ accounts: { deletion: { onDelete } } })
    const reader = await bench.signedIn()
    const { id, email } = reader.account
    const failed = await send(reader, '/account/delete', { email })
    expect(titled(failed)).toEqual([500, 'Something went wrong'])
    expect(failed.text).not.toContain('10.0.0.7')
    expect(await bench.stores.accounts.get(id)).toMatchObject({ email, status: 'active' })
    isReady = true
    expect((await send(reader, '/account/delete', { email })).status).toBe(200)
  })

  test('is made once, however often its form is sent at once', async () => {
    const onDelete = vi.fn()
    const bench = create({ accounts: { deletion: { onDelete } } })
    const reader = await bench.signedIn()
    const { email } = reader.account
    const sent = await Promise.all(Array.from({ length: 5 }, () => send(reader, '/account/delete', { email })))
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 303, 303, 303, 303])
    expect(onDelete).toHaveBeenCalledOnce()
  })
})
