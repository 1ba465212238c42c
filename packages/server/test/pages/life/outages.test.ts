import { AccessError } from '@latchkey/graphql'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../../support/bench.ts'
import { ownForm, titleOf } from '../../support/forms.ts'

const failure: { cause: Error | null } = { cause: null }
const bench = createBench({
  options: { accounts: { deletion: { onDelete: () => {} } } },
  async around(_call, run) {
    if (failure.cause) throw failure.cause
    return run()
  },
})
const token = (purpose: string) => `${purpose}_${'A'.repeat(22)}.${'A'.repeat(43)}`

/** What the pages of the life of an account are asked. */
const requests: readonly (readonly [path: string, fields: Readonly<Record<string, string>> | null])[] = [
  ['/sign-up', { name: 'Ada', email: 'ada@example.com', password }],
  ['/reset', { email: 'ada@example.com' }],
  [`/confirm-email-change?token=${token('change')}`, null],
  ['/confirm-email-change', { token: token('change') }],
  [`/undo-email-change?token=${token('undo')}`, null],
  ['/undo-email-change', { token: token('undo') }],
  ['/devices', null],
  ['/devices/end', { id: 'x' }],
  ['/devices/end-others', {}],
  ['/account/name', { name: 'Ada' }],
  ['/account/email', { email: 'ada@example.com' }],
  ['/account/password', { password, new_password: newPassword }],
  ['/account/export', {}],
  ['/account/delete', { email: 'ada@example.com' }],
]

describe.each([
  [
    'a store that fails',
    new StoreError('STORE_UNAVAILABLE', 'the database at 10.0.0.7'),
    503,
    'Temporarily unavailable',
    '5',
  ],
  ['a limit', new AccessError('RATE_LIMITED', { retryAfterSeconds: 900 }), 429, 'Too many attempts', '900'],
] as const)('%s', (_what, cause, status, title, retryAfter) => {
  test.each(requests)('is shown by %s with %j, and the user stays signed in', async (path, fields) => {
    const visitor = await bench.signedIn()
    const before = await bench.stores.accounts.get(visitor.account.id)
    failure.cause = cause
    const answer = await (fields ? visitor.post(path, fields, ownForm) : visitor.get(path)).finally(() => {
      failure.cause = null
    })
    expect([answer.status, titleOf(answer), answer.headers.get('retry-after')]).toEqual([status, title, retryAfter])
    expect([answer.cookies, answer.text.includes('10.0.0.7')]).toEqual([[], false])
    expect(await bench.stores.accounts.get(visitor.account.id)).toEqual(before)
    expect((await visitor.get('/account')).status).toBe(200)
  })
})
