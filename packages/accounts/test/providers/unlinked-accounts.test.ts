import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, password, refusalOf } from '../bench.ts'
import { wrapDocumentStore } from '../stores/test-stores.ts'
import { heldOf, issuer, type ProvidersBenchOptions, successOf } from './providers-bench.ts'
import { createSignedIn, identityOf, openOf } from './signed-in-scene.ts'

describe('a link that is removed', () => {
  async function createLinked(options: ProvidersBenchOptions = {}, passwordHash?: null) {
    const signedIn = await createSignedIn(options)
    const { bench, id, identity } = signedIn
    await bench.link(id)
    if (passwordHash === null) await bench.store.replace(id, {}, { passwordHash })
    const [linked] = await bench.accounts.linkedProviders(id)
    const unlink = (change: object = {}) => bench.accounts.unlinkProvider({ identity, id: linked?.id ?? '', ...change })
    /** Adds a link whose value cannot be read. */
    const breakOther = async (): Promise<void> => {
      await bench.link(id, 'broken')
      const other = await bench.links.get(issuer, 'broken')
      const document = await bench.documents.get('provider-link', other?.id ?? '')
      await bench.documents.replace(document ?? expect.unreachable(), { version: 'broken', value: '{' })
    }
    return { ...signedIn, linked, unlink, breakOther }
  }

  test('a removed link can no longer sign in, and everything but the session of the request is revoked', async () => {
    const { bench, id, identity, unlink, linked } = await createLinked()
    await bench.byProvider()
    const result = await unlink()
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect(result.provider).toEqual(linked)
    expect(await openOf(bench, id)).toEqual([result.credentials.session.key])
    expect(await bench.accounts.linkedProviders(id)).toEqual([])
    expect(await bench.byProvider()).toEqual(invalidCredentials)
    await bench.accounts.settled()
    expect(bench.outbox.at(-1)).toMatchObject({ kind: 'provider-unlinked', to: 'reader@example.com' })
    expect(bench.events.find(({ type }) => type === 'provider.unlinked')).toMatchObject({
      accountId: id,
      sessionKey: identity.key,
      issuer,
    })
  })

  test('a removed link takes its proof out of the kept session', async () => {
    const { bench, id } = await createLinked()
    const signedIn = await bench.byProvider()
    if (!signedIn.ok || signedIn.status !== 'signed-in') throw new Error('it was refused')
    const [linked] = await bench.accounts.linkedProviders(id)
    const result = await bench.accounts.unlinkProvider({ identity: signedIn.identity, id: linked?.id ?? '' })
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect((await identityOf(bench, result.credentials.credential)).factors).toEqual([])
  })

  test('unlinkProvider finds only links of the own account', async () => {
    const { bench, id, unlink } = await createLinked()
    await bench.link('acc_other', '43')
    const [others] = await bench.accounts.linkedProviders('acc_other')
    const before = await heldOf(bench, id)
    expect(await unlink({ id: others?.id })).toBeNull()
    expect(await unlink({ id: '' })).toBeNull()
    expect(await heldOf(bench, id)).toEqual(before)
    expect(await bench.links.get(issuer, '43')).not.toBeNull()
  })

  test('unlinkProvider is refused for a session that was revoked', async () => {
    const { bench, id, unlink } = await createLinked()
    await bench.store.replace(id, {}, { epoch: 5 })
    expect(await unlink()).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
    const refused = { type: 'provider.refused', accountId: id, issuer: null, reason: 'account-changed' }
    expect(bench.events.at(-1)).toMatchObject(refused)
  })

  test('unlinkProvider is refused if the account changes just before the claim, and the event gives the reason', async () => {
    let change = async (): Promise<unknown> => undefined
    const { bench, id, unlink } = await createLinked({
      async aroundAccounts(method, run) {
        if (method === 'replace') await change()
        return run()
      },
    })
    change = () => bench.store.replace(id, {}, { epoch: 9 })
    expect(await unlink()).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
    const refused = { type: 'provider.refused', accountId: id, issuer, reason: 'account-changed' }
    expect(bench.events.at(-1)).toMatchObject(refused)
  })

  test('a link is removed once by two removals, and its owner gets one mail', async () => {
    const { bench, id, unlink } = await createLinked({
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          await store.remove(link)
          return store.remove(link)
        },
      }),
    })
    expect(await unlink()).toMatchObject({ ok: true })
    await bench.accounts.settled()
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(bench.outbox).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toEqual([])
  })

  test.each<[string, ProvidersBenchOptions]>([
    ['offers passkeys', {}],
    ['offers none', { options: { signIn: { passkeys: undefined as never } } }],
  ])('is never the last way in, and nothing changes, where the service %s', async (_what, options) => {
    const { bench, id, unlink } = await createLinked(options, null)
    const before = await heldOf(bench, id)
    expect(await refusalOf(unlink())).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'last-way-in' })
  })

  test('a link is listed and removed beside an unreadable link', async () => {
    const { bench, id, unlink, linked, breakOther } = await createLinked()
    await breakOther()
    expect(await bench.accounts.linkedProviders(id)).toEqual([linked])
    expect(await unlink()).toMatchObject({ ok: true, provider: linked })
    expect(await bench.accounts.linkedProviders(id)).toEqual([])
  })

  test('the last readable link stays, because an unreadable link cannot sign in', async () => {
    const { bench, id, unlink, breakOther } = await createLinked({}, null)
    await breakOther()
    const before = await heldOf(bench, id)
    expect(await refusalOf(unlink())).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await heldOf(bench, id)).toEqual(before)
  })

  test('unlinkProvider revokes sessions opened since the claim, even if the store fails after the removal', async () => {
    let opened = ''
    const { bench, id, credential, unlink } = await createLinked({
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          const { credentials } = await successOf(bench.byProvider())
          if (credentials.delivery === 'session') opened = credentials.credential
          await store.remove(link)
          throw new StoreError('STORE_UNAVAILABLE', 'the store does not answer')
        },
      }),
    })
    await expect(unlink()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(opened).toMatch(/^se_/)
    await expect(identityOf(bench, opened)).rejects.toThrow('the session has ended')
    expect(await identityOf(bench, credential)).toMatchObject({ subject: id })
  })

  test('the last link may be removed if codes are mailed', async () => {
    const { unlink } = await createLinked({ options: { signIn: { emailCode: {} } } }, null)
    expect(await unlink()).toMatchObject({ ok: true })
  })

  test.each([
    ['required', true],
    ['preferred', false],
  ] as const)(
    'the last link may be removed beside a passkey that verifies its user: %s',
    async (userVerification, ok) => {
      const { bench, id, elsewhere, linked } = await createLinked({ userVerification })
      const { identity } = elsewhere
      const begun = await bench.accounts.startPasskeyRegistration({ identity })
      const response = await bench.authenticator.create((begun.ok && begun.options) as never, { userVerified: ok })
      const added = await bench.accounts.finishPasskeyRegistration({ identity, name: 'Key', response })
      if (!added.ok || !added.credentials) throw new Error('the passkey was refused')
      await bench.store.replace(id, {}, { passwordHash: null })
      const by = await identityOf(bench, added.credentials.credential)
      const unlinking = bench.accounts.unlinkProvider({ identity: by, id: linked?.id ?? '' })
      if (ok) expect(await unlinking).toMatchObject({ ok })
      else expect(await refusalOf(unlinking)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    },
  )

  test.each(Array.from({ length: 8 }, (_none, index) => index))(
    'two parallel removals leave one sign-in method, in either order: round %i',
    async () => {
      const { bench, id, identity } = await createLinked({}, null)
      await bench.link(id, '43')
      const linked = await bench.accounts.linkedProviders(id)
      const removing = linked.map((each) => bench.accounts.unlinkProvider({ identity, id: each.id }))
      await Promise.allSettled(removing)
      expect(await bench.links.listByAccount(id)).not.toEqual([])
    },
  )

  test('a second removal between claim and removal leaves one sign-in method', async () => {
    let second: Promise<unknown> | null = null
    const { bench, id, identity } = await createLinked(
      {
        aroundLinks: (store) => ({
          ...store,
          async remove(link) {
            if (second === null) {
              const { epoch } = (await bench.store.get(id)) ?? { epoch: 0 }
              const [, other] = await bench.accounts.linkedProviders(id)
              const later = { identity: { ...identity, epoch }, id: other?.id ?? '' }
              second = bench.accounts.unlinkProvider(later).catch((error) => error)
              await second
            }
            return store.remove(link)
          },
        }),
      },
      null,
    )
    await bench.link(id, '43')
    const [first] = await bench.accounts.linkedProviders(id)
    const removing = bench.accounts.unlinkProvider({ identity, id: first?.id ?? '' })
    expect(await refusalOf(removing)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await second).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })

  test('a link is removed if the last passkey is being removed at the same time, and the passkey stays', async () => {
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let removal: Promise<unknown> | null = null
    let removePasskey: () => Promise<unknown> = async () => null
    const { bench, id, elsewhere, linked } = await createLinked({
      aroundDocuments: (store) =>
        wrapDocumentStore(store, async (method, run) => {
          if (method === 'remove' && removal) {
            reached.resolve()
            await held.promise
          }
          return run()
        }),
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          removal ??= removePasskey().catch((error: unknown) => error)
          await reached.promise
          return store.remove(link)
        },
      }),
    })
    const begun = await bench.accounts.startPasskeyRegistration({ identity: elsewhere.identity })
    const response = await bench.authenticator.create((begun.ok && begun.options) as never, { userVerified: true })
    const added = await bench.accounts.finishPasskeyRegistration({
      identity: elsewhere.identity,
      name: 'Key',
      response,
    })
    if (!added.ok || !added.credentials) throw new Error('the passkey was refused')
    await bench.store.replace(id, {}, { passwordHash: null })
    const identity = await identityOf(bench, added.credentials.credential)
    const [passkey] = await bench.accounts.listPasskeys(id)
    removePasskey = async () => {
      const { epoch } = (await bench.store.get(id)) ?? { epoch: 0 }
      return bench.accounts.removePasskey({ identity: { ...identity, epoch }, id: passkey?.id ?? '' })
    }
    const unlinking = bench.accounts.unlinkProvider({ identity, id: linked?.id ?? '' })
    expect(await unlinking).toMatchObject({ ok: true })
    held.resolve()
    expect(await removal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect([await bench.links.listByAccount(id), await bench.accounts.listPasskeys(id)]).toEqual([
      [],
      [expect.objectContaining({ id: passkey?.id })],
    ])
  })

  test('a link is deleted with its account, and is in its export without the subject', async () => {
    const { bench, id, identity } = await createLinked({ options: { deletion: { onDelete: () => undefined } } })
    const text = await bench.accounts.exportAccount({ identity })
    expect(JSON.parse(text ?? '')).toMatchObject({
      providers: [{ issuer, createdAt: new Date(bench.now()).toISOString() }],
    })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(await bench.byProvider()).toEqual(invalidCredentials)
  })
})

describe('a step-up of an account without a second factor', () => {
  test.each([
    [false, true, ['password']],
    [true, true, ['provider']],
    [true, false, []],
  ] as const)('without a password: %s, with a link: %s', async (isWithout, isLinked, factors) => {
    const { bench, id, identity } = await createSignedIn()
    if (isLinked) await bench.link(id)
    if (isWithout) await bench.store.replace(id, {}, { passwordHash: null })
    expect(await bench.accounts.startStepUp({ identity, kinds: ['totp'] })).toEqual({ challenge: null, factors })
  })
})

test('a password is a sign-in method as well', async () => {
  const { bench, id, identity } = await createSignedIn()
  await bench.link(id)
  const [linked] = await bench.accounts.linkedProviders(id)
  expect(await bench.accounts.unlinkProvider({ identity, id: linked?.id ?? '' })).toMatchObject({ ok: true })
  expect(await bench.accounts.signIn({ email: 'reader@example.com', password, delivery: 'session' })).toMatchObject({
    ok: true,
  })
})
