import { expect, test } from 'vitest'
import { createBench, newPassword, password } from '../../support/bench.ts'
import { fieldValue, ownForm, titleOf } from '../../support/forms.ts'

const bench = createBench()

const forms: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/account/name', { name: 'Ada' }],
  ['/account/email', { email: 'ada@example.net' }],
  ['/account/password', { password, new_password: newPassword }],
]

test.each(forms)('%s is refused if another account has signed in since the form was shown', async (path, fields) => {
  const [shown, other] = [await bench.signedIn(), await bench.signedIn()]
  const account = fieldValue(await shown.get(path), 'account') ?? ''
  expect(account).toBe(shown.account.id)
  const before = await bench.stores.accounts.get(other.account.id)
  const mailed = () => bench.outbox.filter(({ to }) => to === other.account.email)
  const answer = await other.post(path, { ...fields, account }, ownForm)
  expect([answer.status, titleOf(answer), answer.cookies]).toEqual([403, 'You can’t do this', []])
  await (await bench.server.accounts()).settled()
  expect([await bench.stores.accounts.get(other.account.id), mailed()]).toEqual([before, []])
  expect((await shown.post(path, { ...fields, account }, ownForm)).status).toBe(path === '/account/name' ? 303 : 200)
})
