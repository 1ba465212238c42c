import type { DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../bench.ts'
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

describe('a link that becomes the last sign-in method during its removal', () => {
  /** Two links of an account without a password, of which the first is removed while something happens. */
  async function removeWhile(meanwhile: (bench: ProvidersBench, id: string, identity: Identity) => Promise<unknown>) {
    let isFirst = true
    const scene = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          if (isFirst) {
            isFirst = false
            await meanwhile(scene.bench, scene.id, await latest(scene.bench, scene.identity))
          }
          return store.remove(link)
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

  test('stays if the other link is removed in between, and that removal succeeds', async () => {
    const { bench, id, removing } = await removeWhile(async ({ accounts }, account, identity) => {
      const [, other] = await accounts.linkedProviders(account)
      expect(await accounts.unlinkProvider({ identity, id: other?.id ?? '' })).toMatchObject({ ok: true })
    })
    expect(await refusalOf(removing)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.links.listByAccount(id)).toMatchObject([{ subject: '42' }])
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toHaveLength(1)
  })

  test('stays with the account that has it by then', async () => {
    const { bench, id, removing } = await removeWhile(async (held, account) => {
      for (const link of await held.links.listByAccount(account)) await held.links.remove(link)
      await held.link('acc_other')
    })
    expect(await removing).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: 'acc_other' })
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toEqual([])
  })
})

describe('a passkey that becomes the last sign-in method during its removal', () => {
  type Meanwhile = (bench: ProvidersBench, id: string, identity: Identity) => Promise<unknown>
  async function createScene(between: Meanwhile) {
    let isAwaited = false
    const options: ProvidersBenchOptions = {
      aroundDocuments: (store): DocumentStore =>
        wrapDocumentStore(store, async (method, run) => {
          if (isAwaited && method === 'remove') {
            isAwaited = false
            await between(bench, id, identity)
          }
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

  test('stays if a complete removal of the link came in between, and signs in', async () => {
    const { bench, id, passkey, remove } = await createScene(unlinkWhole)
    expect(await refusalOf(remove())).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect((await bench.accounts.listPasskeys(id)).map((each) => each.id)).toEqual([passkey])
    const response = await bench.showPasskey()
    expect(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })).toMatchObject({ ok: true })
    expect(bench.events.filter(({ type }) => type === 'factor.removed')).toEqual([])
  })

  test('is removed if the account is deleted during the removal', async () => {
    const { bench, id, remove } = await createScene(async ({ store, documents }, accountId) => {
      await store.remove(accountId)
      await documents.removeByOwner(accountId)
    })
    expect(await remove()).toMatchObject({ ok: true })
    expect((await bench.documents.listByOwner(id)).items).toEqual([])
  })
})

test('a passkey without user verification is no sign-in method for either removal', async () => {
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
