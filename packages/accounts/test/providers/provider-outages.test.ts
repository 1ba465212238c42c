import { type DocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { askForChange } from '../own-account/mailed-links.ts'
import { createProvidersBench, heldOf, issuer, type ProvidersBench } from './providers-bench.ts'
import { createSignedIn, identityOf } from './signed-in-scene.ts'

type Method = 'get' | 'insert' | 'remove' | 'listByOwner'
type RecordMethod = 'insert' | 'get' | 'replace' | 'remove' | 'listByOwner'

const outage = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store does not answer'))

/** A bench whose stores fail on demand, with an account that is linked and signed in by its password. */
async function createScene(newAccounts: 'verified-email' | 'closed' = 'closed') {
  const failing = new Set<string>()
  const bench = createProvidersBench({
    providers: { newAccounts },
    aroundLinks: (store) =>
      Object.fromEntries(
        Object.entries(store).map(([name, call]) => [
          name,
          (...given: unknown[]) =>
            failing.has(`links.${name}`) ? outage() : (call as (...given: unknown[]) => unknown)(...given),
        ]),
      ) as unknown as DocumentStore,
    aroundRecords: (method, run) => (failing.has(`records.${method}`) ? outage() : run()),
    aroundAccounts: (method, run) => (failing.has(`accounts.${method}`) ? outage() : run()),
  })
  const { id } = await bench.insert()
  await bench.link(id)
  const { identity } = await bench.signIn()
  return { bench, id, identity, failing }
}

const calls = {
  'a sign-in': ({ byProvider }: ProvidersBench) => byProvider({ sid: 's1' }),
  'a link': ({ accounts, shown }: ProvidersBench, identity: object & { key: string }) =>
    accounts.linkProvider({
      ...shown({ subject: '43', binding: `link:${identity.key}` }),
      identity: identity as never,
    }),
  'a removal': async ({ accounts }: ProvidersBench, identity: object, id: string) =>
    accounts.unlinkProvider({ identity: identity as never, id }),
  'a fresh proof': ({ accounts, shown }: ProvidersBench, identity: object & { key: string }) =>
    accounts.confirmProvider({ ...shown({ binding: `confirm:${identity.key}` }), identity: identity as never }),
  'a logout at the provider': ({ accounts }: ProvidersBench) =>
    accounts.endProviderSessions({ issuer, subject: '42', sid: 's1' }),
}

const outages: readonly (readonly [
  keyof typeof calls,
  `links.${Method}` | `records.${RecordMethod}` | `accounts.get`,
])[] = [
  ['a sign-in', 'links.get'],
  ['a sign-in', 'accounts.get'],
  ['a sign-in', 'records.insert'],
  ['a sign-in', 'records.listByOwner'],
  ['a link', 'accounts.get'],
  ['a link', 'links.get'],
  ['a link', 'records.get'],
  ['a removal', 'accounts.get'],
  ['a removal', 'links.listByOwner'],
  ['a removal', 'records.get'],
  ['a fresh proof', 'accounts.get'],
  ['a fresh proof', 'links.get'],
  ['a fresh proof', 'records.get'],
  ['a fresh proof', 'records.insert'],
  ['a logout at the provider', 'records.insert'],
  ['a logout at the provider', 'links.get'],
  ['a logout at the provider', 'records.listByOwner'],
]

describe('while a store does not answer', () => {
  test.each(outages)('%s is an outage and no refusal, and the account is unchanged: %s', async (what, failed) => {
    const { bench, id, identity, failing } = await createScene()
    const [linked] = await bench.accounts.linkedProviders(id)
    const before = await heldOf(bench, id)
    const told = bench.events.length
    failing.add(failed)
    const call = calls[what](bench, identity, linked?.id ?? '')
    await expect(call).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    failing.clear()
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.slice(told)).toEqual([])
    expect(await calls[what](bench, identity, linked?.id ?? '')).not.toMatchObject({ ok: false })
  })

  test.each(['links.get', 'accounts.getByEmail', 'links.insert', 'accounts.insert'] as const)(
    'no account is opened: %s',
    async (failed) => {
      const { bench, failing } = await createScene('verified-email')
      failing.add(failed)
      await expect(bench.byProvider({ subject: 'new' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      failing.clear()
      expect((await bench.accounts.list()).items).toHaveLength(1)
      expect(await bench.links.get(issuer, 'new')).toBeNull()
      expect(await bench.byProvider({ subject: 'new' })).toMatchObject({ ok: true })
    },
  )
})

test('a link is removed again if the store fails after it has added the link', async () => {
  const bench: ProvidersBench = createProvidersBench({
    aroundLinks: (store) => ({
      ...store,
      async insert(link) {
        await store.insert(link)
        return outage()
      },
    }),
  })
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  const linking = bench.accounts.linkProvider({ ...bench.shown({ binding: `link:${identity.key}` }), identity })
  await expect(linking).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.links.listByAccount(id)).toEqual([])
})

test('a link that cannot be removed again is an event that names its account', async () => {
  const bench: ProvidersBench = createProvidersBench({
    aroundLinks: (store) => ({ ...store, insert: (link) => store.insert(link).then(outage), remove: outage }),
  })
  const { id } = await bench.insert()
  const { identity } = await bench.signIn()
  const linking = bench.accounts.linkProvider({ ...bench.shown({ binding: `link:${identity.key}` }), identity })
  await expect(linking).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const failed = { type: 'clean-up.failed', accountId: id, failure: 'STORE_UNAVAILABLE' }
  expect(bench.events).toContainEqual(expect.objectContaining(failed))
})

test('the link of a new account is removed again after the same failure', async () => {
  let linked: string | null = null
  const bench: ProvidersBench = createProvidersBench({
    providers: { newAccounts: 'verified-email' },
    aroundAccounts: async (_method, run) => (linked === null ? run() : outage()),
    aroundLinks: (store) => ({
      ...store,
      async insert(link) {
        linked = link.owner
        return store.insert(link)
      },
    }),
  })
  await expect(bench.byProvider()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const failed = { type: 'clean-up.failed', accountId: linked, failure: 'STORE_UNAVAILABLE' }
  expect(bench.events).toContainEqual(expect.objectContaining(failed))
})

test('a logout at the provider revokes all other sessions if one revocation fails, and is an outage', async () => {
  let removals = 0
  const bench = createProvidersBench({
    aroundRecords: (method, run) => (method === 'remove' && ++removals === 1 ? outage() : run()),
  })
  const { id } = await bench.insert()
  await bench.link(id)
  for (let nth = 0; nth < 3; nth++) await bench.byProvider({ sid: 's1' })
  const logout = () => bench.accounts.endProviderSessions({ issuer, subject: '42', sid: null })
  await expect(logout()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.sessions.list(id)).toHaveLength(1)
  expect(await logout()).toBe(1)
  expect(await bench.sessions.list(id)).toEqual([])
})

test('a session is removed again if the logouts of its provider cannot be read', async () => {
  let lists = 0
  const bench = createProvidersBench({
    // The first two listings, of the session and of the user, are those before the session is stored, the third comes after it.
    aroundRecords: (method, run) => (method === 'listByOwner' && ++lists === 3 ? outage() : run()),
  })
  const { id } = await bench.insert()
  await bench.link(id)
  await expect(bench.byProvider({ sid: 's1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.sessions.list(id)).toEqual([])
})

test('a link stays if the store fails after it has added the account', async () => {
  const bench = createProvidersBench({
    providers: { newAccounts: 'verified-email' },
    aroundAccounts: async (method, run) => {
      const result = await run()
      return method === 'insert' ? outage() : result
    },
  })
  await expect(bench.byProvider({ subject: 'new' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.byProvider({ subject: 'new' })).toMatchObject({ ok: true })
})

/** A scene in which something happens before the first link is stored, and the next read of a session fails. */
function createLateOutage(before: () => Promise<void>) {
  const state = { isFirst: true, isDown: false }
  return createSignedIn({
    aroundLinks: (store) => ({
      ...store,
      async insert(link) {
        if (state.isFirst) {
          state.isFirst = false
          await before()
          state.isDown = true
        }
        return store.insert(link)
      },
    }),
    aroundRecords(method, run) {
      if (!state.isDown || method !== 'get') return run()
      state.isDown = false
      return outage()
    },
  })
}

test('a link that another request has added at the same moment stays if the second raise of the epoch fails', async () => {
  const scene = await createLateOutage(async () => {
    expect(await linkWith(await identityOf(bench, credential))).toMatchObject({ ok: true })
  })
  const { bench, id, identity, credential, linkWith } = scene
  await expect(linkWith(identity)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.links.listByAccount(id)).toHaveLength(1)
})

test('a link that was stored after an undone change of address is removed, although the second raise of the epoch fails', async () => {
  let undo = ''
  const scene = await createLateOutage(async () => {
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
  })
  const { bench, id, identity, linkWith } = scene
  undo = (await askForChange(bench, { identity })).undo
  await expect(linkWith(identity)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.links.listByAccount(id)).toEqual([])
  expect(bench.events.map(({ type }) => type)).not.toContain('provider.linked')
})

test.each([
  ['the stores answer', false],
  ['the first removal of the link fails', true],
])(
  'a link that was stored after an undone change of address opens no session that outlives it, if %s',
  async (_what, fails) => {
    const state = { undo: '', isDown: fails }
    const opened: unknown[] = []
    const { bench, id, identity, linkWith } = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async insert(link) {
          await bench.accounts.undoEmailChange({ token: state.undo })
          const isInserted = await store.insert(link)
          opened.push(await bench.byProvider())
          return isInserted
        },
        async remove(link) {
          if (!state.isDown) return store.remove(link)
          state.isDown = false
          return outage()
        },
      }),
    })
    state.undo = (await askForChange(bench, { identity })).undo
    const linking = linkWith(identity)
    if (fails) await expect(linking).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    else expect(await linking).toMatchObject({ ok: false })
    expect(opened).toMatchObject([{ status: 'signed-in' }])
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(await bench.accounts.listSessions(id)).toEqual([])
  },
)
