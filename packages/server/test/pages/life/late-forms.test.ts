import { expect, test } from 'vitest'
import { createBench, newPassword, password, type SignedIn } from '../../support/bench.ts'
import { createLateBody } from '../../support/clients/late-body.ts'
import { ownForm } from '../../support/forms.ts'

const bench = createBench({ options: { accounts: { deletion: { onDelete: () => {} } } } })

/** What the pages of an account change, by what their forms send. */
const forms: readonly (readonly [path: string, fields: (visitor: SignedIn) => Readonly<Record<string, string>>])[] = [
  ['/account/name', () => ({ name: 'Ada' })],
  ['/account/email', () => ({ email: 'ada@example.net' })],
  ['/account/password', () => ({ password, new_password: newPassword })],
  ['/account/export', () => ({})],
  ['/account/delete', ({ account: { email } }) => ({ email })],
  ['/devices/end', () => ({ id: 'se_1' })],
  ['/devices/end-others', () => ({})],
]

test.each(forms)('%s has no effect if its session is revoked while its form arrives', async (path, fieldsOf) => {
  const visitor = await bench.signedIn()
  const before = await bench.stores.accounts.get(visitor.account.id)
  const mails = bench.outbox.length
  const body = createLateBody(`${new URLSearchParams(fieldsOf(visitor))}`)
  const cookie = `__Host-session=${visitor.jar.get('__Host-session')}`
  const headers = { ...ownForm, cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', headers, body: body.stream, duplex: 'half', redirect: 'manual' } as const
  const answering = bench.server.fetch(new Request(`https://example.com${path}`, init))
  await Promise.race([body.asked, answering])
  await visitor.post('/sign-out', {}, ownForm)
  body.send()
  const { status, headers: sent } = await answering
  expect([status, sent.get('location')]).toEqual([303, '/sign-in?return_to=%2Faccount'])
  await (await bench.server.accounts()).settled()
  expect([await bench.stores.accounts.get(visitor.account.id), bench.outbox.length]).toEqual([before, mails])
})
