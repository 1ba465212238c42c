import { expect, test } from 'vitest'
import { actAs, on, signedInAdmin } from '../../account-life/impersonating.ts'
import { ownForm } from '../../support/forms.ts'
import { createProviderBench, locationOf, pressed } from '../../support/providers/provider-bench.ts'

test("an administrator who acts as an account cannot open a provider's page or change its links", async () => {
  const bench = createProviderBench({ options: on() })
  const owner = await bench.signedIn('AUTHOR')
  await bench.link(owner.account.id)
  const admin = await signedInAdmin(bench)
  const url = bench.two.authorize(await pressed(admin, '/account/providers/two/link'))
  await actAs(admin, owner.account.id)
  const shown = ['/account/providers', '/confirm-provider', `${url.pathname}${url.search}`]
  for (const path of shown) expect([path, ...locationOf(await admin.get(path))]).toEqual([path, 303, '/account'])
  const taken = ['/sign-in/with/one', '/confirm-provider/with/one', '/account/providers/one/link']
  for (const path of [...taken, '/account/providers/unlink']) {
    const answer = await admin.post(path, {}, ownForm)
    expect([path, answer.status, answer.cookies]).toEqual([path, 403, []])
  }
  expect([await bench.links.listByAccount(admin.account.id), bench.two.redeemed()]).toEqual([[], 0])
  expect(await bench.links.listByAccount(owner.account.id)).toHaveLength(1)
})
