import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createProvidersBench, type ProvidersBench, successOf } from './providers-bench.ts'

/** An account that is linked, and what happens between the reading of its link and that of its account. */
async function createScene(between: (bench: ProvidersBench, id: string) => Promise<unknown>) {
  let isAwaited = false
  const bench: ProvidersBench = createProvidersBench({
    aroundAccounts: async (method, run) => {
      if (method !== 'get' || !isAwaited) return run()
      isAwaited = false
      await between(bench, id)
      return run()
    },
  })
  const { id } = await bench.insert()
  await bench.link(id)
  const signIn = () => {
    isAwaited = true
    return bench.byProvider()
  }
  return { bench, id, signIn }
}

describe('a link that is removed while it signs in', () => {
  test('a sign-in is refused if the owner removes the link at the same time', async () => {
    const { bench, id, signIn } = await createScene(async ({ accounts, signIn }, accountId) => {
      const [linked] = await accounts.linkedProviders(accountId)
      const { identity } = await signIn()
      const unlinked = await accounts.unlinkProvider({ identity, id: linked?.id ?? '' })
      expect(unlinked).toMatchObject({ ok: true })
    })
    expect(await signIn()).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'unknown-account', accountId: null })
    // That of the owner.
    expect(await bench.sessions.list(id)).toHaveLength(1)
  })

  test('a sign-in opens no session of the former account if the link moves to another account', async () => {
    const { bench, id, signIn } = await createScene(async ({ links, link, store }, accountId) => {
      for (const each of await links.listByAccount(accountId)) await links.remove(each)
      await store.replace(accountId, {}, { epoch: 1 })
      await link('acc_other')
    })
    expect(await signIn()).toEqual(invalidCredentials)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(await bench.sessions.list('acc_other')).toEqual([])
  })

  test('a sign-in succeeds if the link stays', async () => {
    const { id, signIn } = await createScene(async () => {})
    expect((await successOf(signIn())).account.id).toBe(id)
  })
})
