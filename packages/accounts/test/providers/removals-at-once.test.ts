import type { DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../bench.ts'
import { storedFactors } from '../factors/factors-bench.ts'
import { wrapDocumentStore } from '../stores/test-stores.ts'
import { issuer, type ProvidersBench, type ProvidersBenchOptions } from './providers-bench.ts'
import { createSignedIn, type Identity, identityOf } from './signed-in-scene.ts'

/** Adds a passkey in a session, and returns the session that goes on. */
async function addPasskey(bench: ProvidersBench, identity: Identity, userVerified = true) {
  const begun = await bench.accounts.startPasskeyRegistration({ identity })
  const response = await bench.authenticator.create((begun.ok && begun.options) as never, {
    userVerified,
    ignoresLists: true,
  })
  const added = await bench.accounts.finishPasskeyRegistration({ identity, name: 'Key', response })
  if (!added.ok || !added.credentials) throw new Error('the passkey was refused')
  return { passkey: added.passkey.id, identity: await identityOf(bench, added.credentials.credential) }
}

const latest = async ({ store }: ProvidersBench, identity: Identity): Promise<Identity> => {
  const { epoch } = (await store.get(identity.subject)) ?? { epoch: 0 }
  return { ...identity, epoch }
}

describe('a link that was the last way in by the time it was removed', () => {
  /** Two links of an account without a password are removed, one within the other, and something happens before the first is put back. */
  async function removeBoth(then: (bench: ProvidersBench, id: string) => Promise<unknown>) {
    let isFirst = true
    const scene = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          if (!isFirst) return store.remove(link)
          isFirst = false
          const { bench, id, identity } = scene
          const [, other] = await bench.accounts.linkedProviders(id)
          await bench.accounts.unlinkProvider({ identity: await latest(bench, identity), id: other?.id ?? '' })
          const isRemoved = await store.remove(link)
          await then(bench, id)
          return isRemoved
        },
      }),
    })
    const { bench, id, identity } = scene
    await bench.link(id)
    await bench.link(id, '43')
    await bench.store.replace(id, {}, { passwordHash: null })
    const [first] = await bench.accounts.linkedProviders(id)
    const removing = bench.accounts.unlinkProvider({ identity, id: first?.id ?? '' })
    return { bench, id, removing }
  }

  test('is put back', async () => {
    const { bench, id, removing } = await removeBoth(async () => {})
    expect(await refusalOf(removing)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.links.listByAccount(id)).toMatchObject([{ subject: '42' }])
  })

  test.each<[string, (bench: ProvidersBench, id: string) => Promise<unknown>]>([
    ['is gone by then', ({ store }, id) => store.remove(id)],
    ['has another address by then', ({ store }, id) => store.replace(id, {}, { email: 'former@example.com' })],
  ])('is not put back where the account %s', async (_what, then) => {
    const { bench, id, removing } = await removeBoth(then)
    expect(await removing).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toEqual([])
  })

  test('stays with the account that has it by then', async () => {
    const { bench, id, removing } = await removeBoth((held) => held.link('acc_other'))
    expect(await removing).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: 'acc_other' })
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toHaveLength(2)
  })

  test('is removed again where the account goes while it is put back', async () => {
    let hasGone = false
    const { bench, id, identity } = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          if (hasGone) return store.remove(link)
          const { items } = await store.listByOwner(id, { collections: [link.collection] })
          for (const each of items) if (each.id !== link.id) await store.remove(each)
          return store.remove(link)
        },
        async insert(link) {
          hasGone = await bench.store.remove(link.owner ?? '')
          return store.insert(link)
        },
      }),
    })
    await bench.links.insert({ issuer, subject: '42', accountId: id, createdAt: 0 })
    await bench.links.insert({ issuer, subject: '43', accountId: id, createdAt: 1 })
    await bench.store.replace(id, {}, { passwordHash: null })
    const [first] = await bench.accounts.linkedProviders(id)
    expect(await bench.accounts.unlinkProvider({ identity, id: first?.id ?? '' })).toMatchObject({ ok: true })
    expect(hasGone).toBe(true)
    expect(await bench.links.listByAccount(id)).toEqual([])
  })
})

describe('a passkey that was the last way in by the time it was removed', () => {
  type Meanwhile = (bench: ProvidersBench, id: string, identity: Identity) => Promise<unknown>
  async function createScene(between: Meanwhile, whilePutBack: Meanwhile = async () => undefined) {
    let isAwaited = false
    let isGone = false
    const options: ProvidersBenchOptions = {
      aroundDocuments: (store): DocumentStore =>
        wrapDocumentStore(store, async (method, run) => {
          if (isAwaited && method === 'remove') {
            isAwaited = false
            await between(bench, id, identity)
            isGone = true
          }
          if (isGone && method === 'insert') await whilePutBack(bench, id, identity)
          return run()
        }),
    }
    const scene = await createSignedIn(options)
    const { bench, id } = scene
    const { passkey, identity } = await addPasskey(bench, scene.identity)
    await bench.link(id)
    await bench.store.replace(id, {}, { passwordHash: null })
    const remove = () => {
      isAwaited = true
      return bench.accounts.removePasskey({ identity, id: passkey })
    }
    return { bench, id, passkey, remove }
  }

  const unlinkWhole = async (bench: ProvidersBench, id: string, identity: Identity) => {
    const [linked] = await bench.accounts.linkedProviders(id)
    const removing = { identity: await latest(bench, identity), id: linked?.id ?? '' }
    expect(await bench.accounts.unlinkProvider(removing)).toMatchObject({ ok: true })
  }

  test('is put back where a whole removal of the link came in between, and signs in', async () => {
    const { bench, id, passkey, remove } = await createScene(unlinkWhole)
    expect(await refusalOf(remove())).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect((await bench.accounts.listPasskeys(id)).map((each) => each.id)).toEqual([passkey])
    const response = await bench.showPasskey()
    expect(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })).toMatchObject({ ok: true })
    expect(bench.events.filter(({ type }) => type === 'factor.removed')).toEqual([])
  })

  test('is not put back where the account has another address by then', async () => {
    const { bench, id, remove } = await createScene(async (held, accountId, identity) => {
      await unlinkWhole(held, accountId, identity)
      await held.store.replace(accountId, {}, { email: 'former@example.com' })
    })
    expect(await remove()).toMatchObject({ ok: true })
    expect(await bench.accounts.listPasskeys(id)).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'factor.removed')).toHaveLength(1)
  })

  test('is removed again where the account goes while it is put back', async () => {
    const { bench, id, passkey, remove } = await createScene(unlinkWhole, (held, accountId) =>
      held.store.remove(accountId),
    )
    const [row] = (await storedFactors(bench, id)).filter(({ kind }) => kind === 'passkey')
    expect(await remove()).toMatchObject({ ok: true })
    expect(await bench.store.get(id)).toBeNull()
    expect(await bench.documents.get('factor-passkey', row?.id ?? '')).toBeNull()
    const removed = { type: 'factor.removed', accountId: id, id: passkey }
    expect(bench.events).toContainEqual(expect.objectContaining(removed))
  })
})

test('a passkey that verifies no user is no way in for either removal', async () => {
  const scene = await createSignedIn({ userVerification: 'preferred' })
  const { bench, id } = scene
  const weak = await addPasskey(bench, scene.identity, false)
  const { passkey, identity } = await addPasskey(bench, weak.identity)
  await bench.link(id)
  await bench.store.replace(id, {}, { passwordHash: null })
  const [linked] = await bench.accounts.linkedProviders(id)
  for (const link of await bench.links.listByAccount(id)) await bench.links.remove(link)
  expect(await refusalOf(bench.accounts.removePasskey({ identity, id: passkey }))).toMatchObject({
    code: 'LAST_SIGN_IN_METHOD',
  })
  expect(await bench.accounts.listPasskeys(id)).toHaveLength(2)
  await bench.link(id)
  const removed = await bench.accounts.removePasskey({ identity, id: passkey })
  if (!removed?.ok || !removed.credentials) throw new Error('it was refused')
  const { credential } = removed.credentials
  const unlinking = bench.accounts.unlinkProvider({
    identity: await identityOf(bench, credential),
    id: linked?.id ?? '',
  })
  expect(await refusalOf(unlinking)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
})
