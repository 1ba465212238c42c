import type { ProviderIdentity, SessionCredentials, SignInSuccess } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, password, refusalOf } from '../bench.ts'
import { wrapFactorStore } from '../stores/test-stores.ts'
import {
  createProvidersBench,
  heldOf,
  issuer,
  otherIssuer,
  type ProvidersBench,
  type ProvidersBenchOptions,
} from './providers-bench.ts'

type Identity = SignInSuccess['identity']

/** An account that is signed in by its password, here and on another device. */
async function createSignedIn(options: ProvidersBenchOptions = {}) {
  const bench = createProvidersBench(options)
  const account = await bench.insert()
  const { identity } = await bench.signIn()
  const elsewhere = await bench.signIn()
  const { id } = account
  const linkWith = (by: Identity, change: Partial<ProviderIdentity> = {}) =>
    bench.accounts.linkProvider({ ...bench.shown({ binding: by.key, ...change }), identity: by })
  return { bench, id, account, identity, elsewhere, linkWith }
}

const identityOf = async ({ accounts, sessions }: ProvidersBench, credential: string): Promise<Identity> => {
  const facts = await accounts.identifySession(await sessions.read(credential))
  if (!facts) throw new Error('the session has ended')
  return facts
}

const open = async ({ sessions }: ProvidersBench, id: string) => (await sessions.list(id)).map(({ key }) => key)

describe('a link', () => {
  test('signs in from then on, renews the session of the request and ends every other one', async () => {
    const { bench, id, identity, elsewhere, linkWith } = await createSignedIn()
    const result = await linkWith(identity)
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect(result.provider).toEqual({ id: expect.stringMatching(/^[\w-]{43}$/), issuer, createdAt: bench.now() })
    expect(await open(bench, id)).toEqual([result.credentials.session.key])
    const { credential } = elsewhere.credentials as SessionCredentials
    await expect(identityOf(bench, credential)).rejects.toThrow('the session has ended')
    expect(await identityOf(bench, result.credentials.credential)).toMatchObject({
      factors: [{ kind: 'password' }, { kind: 'provider' }],
    })
    expect(await bench.byProvider()).toMatchObject({ ok: true, account: { id } })
  })

  test('is an event with its rows and a mail to the owner, and names neither the user nor an address', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await linkWith(identity, { subject: 'canary-subject', email: 'canary@example.com', sid: 'canary-sid' })
    await bench.accounts.settled()
    const event = bench.events.find(({ type }) => type === 'provider.linked')
    expect(event).toMatchObject({ accountId: id, sessionKey: identity.key, issuer })
    expect(bench.outbox.at(-1)).toMatchObject({ kind: 'provider-linked', to: 'reader@example.com' })
    expect(bench.outbox.at(-1)?.text).toContain('id.example.com')
    expect(JSON.stringify([bench.events, bench.outbox])).not.toContain('canary')
  })

  test.each<[string, (key: string, other: string) => Partial<ProviderIdentity>]>([
    ['begun by no one', () => ({ binding: null })],
    ['begun in another session of the account', (_key, other) => ({ binding: other })],
    ['begun in a session of another one', () => ({ binding: 'se_0000' })],
    ['begun in a session whose key begins the same', (key) => ({ binding: key.slice(0, -1) })],
  ])('is not made by a callback that was %s', async (_what, change) => {
    const { bench, id, identity, elsewhere, linkWith } = await createSignedIn()
    const before = await heldOf(bench, id)
    expect(await linkWith(identity, change(identity.key, elsewhere.identity.key))).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'other-session' })
  })

  test('is not made where no session is known', async () => {
    const { bench, id, identity } = await createSignedIn()
    for (const key of [null, undefined]) {
      const given = { ...bench.shown({ binding: null }), identity: { ...identity, key } as never }
      expect(await bench.accounts.linkProvider(given)).toEqual(invalidCredentials)
    }
    expect(await bench.links.listByAccount(id)).toEqual([])
  })

  test.each(['another account', 'the account itself'])('of a user is the only one: %s has it', async (holder) => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.link(holder === 'another account' ? 'acc_other' : id)
    const before = await heldOf(bench, id)
    expect(await refusalOf(linkWith(identity))).toMatchObject({ code: 'PROVIDER_LINKED' })
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', accountId: id, reason: 'provider-linked' })
  })

  test('takes the place of one whose account is gone, once no sign-in can be under way', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.link('acc_gone')
    bench.advance(59)
    expect(await refusalOf(linkWith(identity))).toMatchObject({ code: 'PROVIDER_LINKED' })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: 'acc_gone' })
    bench.advance(1)
    expect(await linkWith(identity)).toMatchObject({ ok: true })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: id })
  })

  test('is the same for one subject at two providers: they are two users', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.link('acc_other', '42', otherIssuer)
    expect(await linkWith(identity)).toMatchObject({ ok: true })
    expect(await bench.links.get(otherIssuer, '42')).toMatchObject({ accountId: 'acc_other' })
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: id })
  })

  test('is not made by who has been signed out everywhere since, and nothing changes', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.store.replace(id, {}, { epoch: 5 })
    const before = await heldOf(bench, id)
    expect(await linkWith(identity)).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', reason: 'account-changed' })
  })

  test('is not made by an administrator who acts as the account', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    const acting = { ...identity, impersonator: 'acc_admin' }
    expect(await refusalOf(linkWith(acting))).toMatchObject({ code: 'IMPERSONATED' })
    const input = { identity: acting, id: 'x' }
    expect(await refusalOf(bench.accounts.unlinkProvider(input))).toMatchObject({ code: 'IMPERSONATED' })
    const again = { ...bench.shown({ binding: identity.key }), identity: acting }
    expect(await refusalOf(bench.accounts.confirmProvider(again))).toMatchObject({ code: 'IMPERSONATED' })
    expect(await bench.links.listByAccount(id)).toEqual([])
  })

  test.each<[string, (bench: ProvidersBench, id: string) => Promise<unknown>]>([
    ['was deleted', ({ store }, id) => store.remove(id)],
    ['was closed', ({ store }, id) => store.replace(id, {}, { status: 'locked' })],
    ['was changed', ({ store }, id) => store.replace(id, {}, { epoch: 9 })],
  ])('is taken back where the account %s while it was made', async (_what, change) => {
    const { bench, id, identity, linkWith } = await createSignedIn({
      aroundLinks: (store) => ({
        ...store,
        async insert(link) {
          await change(bench, link.accountId)
          return store.insert(link)
        },
      }),
    })
    expect(await linkWith(identity)).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toEqual([])
  })

  test('has one winner of fifty accounts that ask for one user at once', async () => {
    const bench = createProvidersBench()
    const people = await Promise.all(
      Array.from({ length: 50 }, async (_none, index) => {
        const { id, email } = await bench.insert({ email: `reader${index}@example.com` })
        return { id, ...(await bench.signIn({ email })) }
      }),
    )
    const linking = people.map(({ identity }) =>
      bench.accounts.linkProvider({ ...bench.shown({ binding: identity.key }), identity }),
    )
    const results = await Promise.allSettled(linking)
    const winners = people.filter((_person, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(await bench.links.get(issuer, '42')).toMatchObject({ accountId: winners[0]?.id })
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(refused).toEqual(Array(49).fill('PROVIDER_LINKED'))
    expect(bench.events.filter(({ type }) => type === 'provider.refused')).toHaveLength(49)
    expect(bench.events.filter(({ type }) => type === 'provider.linked')).toHaveLength(1)
  })

  test('is made once of fifty callbacks in one session', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => linkWith(identity)))
    expect(results.filter((result) => result.status === 'fulfilled' && result.value?.ok)).toHaveLength(1)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })
})

describe('a link that is removed', () => {
  async function createLinked(options: ProvidersBenchOptions = {}, passwordHash?: null) {
    const signedIn = await createSignedIn(options)
    const { bench, id, identity } = signedIn
    await bench.link(id)
    if (passwordHash === null) await bench.store.replace(id, {}, { passwordHash })
    const [linked] = await bench.accounts.linkedProviders(id)
    const unlink = (change: object = {}) => bench.accounts.unlinkProvider({ identity, id: linked?.id ?? '', ...change })
    return { ...signedIn, linked, unlink }
  }

  test('signs in no more, with everything that was open but the session of the request', async () => {
    const { bench, id, identity, unlink, linked } = await createLinked()
    await bench.byProvider()
    const result = await unlink()
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect(result.provider).toEqual(linked)
    expect(await open(bench, id)).toEqual([result.credentials.session.key])
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

  test('takes what was proven by it from the session that goes on', async () => {
    const { bench, id } = await createLinked()
    const signedIn = await bench.byProvider()
    if (!signedIn.ok || signedIn.status !== 'signed-in') throw new Error('it was refused')
    const [linked] = await bench.accounts.linkedProviders(id)
    const result = await bench.accounts.unlinkProvider({ identity: signedIn.identity, id: linked?.id ?? '' })
    if (!result?.ok || !result.credentials) throw new Error('it was refused')
    expect((await identityOf(bench, result.credentials.credential)).factors).toEqual([])
  })

  test('is one of the account: any other is not found, and nothing changes', async () => {
    const { bench, id, unlink } = await createLinked()
    await bench.link('acc_other', '43')
    const [others] = await bench.accounts.linkedProviders('acc_other')
    const before = await heldOf(bench, id)
    expect(await unlink({ id: others?.id })).toBeNull()
    expect(await unlink({ id: '' })).toBeNull()
    expect(await heldOf(bench, id)).toEqual(before)
    expect(await bench.links.get(issuer, '43')).not.toBeNull()
  })

  test('is not removed by who has been signed out everywhere since', async () => {
    const { bench, id, unlink } = await createLinked()
    await bench.store.replace(id, {}, { epoch: 5 })
    expect(await unlink()).toEqual(invalidCredentials)
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })

  test('is never the last way in, and nothing changes', async () => {
    const { bench, id, unlink } = await createLinked({}, null)
    const before = await heldOf(bench, id)
    expect(await refusalOf(unlink())).toMatchObject({ code: 'LAST_WAY_IN' })
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.filter(({ type }) => type === 'provider.unlinked')).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'last-way-in' })
  })

  test('may be the last one where codes are mailed', async () => {
    const { unlink } = await createLinked({ options: { emailCode: {} } }, null)
    expect(await unlink()).toMatchObject({ ok: true })
  })

  test.each([
    ['required', true],
    ['preferred', false],
  ] as const)('may be the last one beside a passkey that verifies its user: %s', async (userVerification, ok) => {
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
    else expect(await refusalOf(unlinking)).toMatchObject({ code: 'LAST_WAY_IN' })
  })

  test.each(Array.from({ length: 8 }, (_none, index) => index))(
    'leaves one way in of two that are removed at once, in either order: round %i',
    async () => {
      const { bench, id, identity } = await createLinked({}, null)
      await bench.link(id, '43')
      const linked = await bench.accounts.linkedProviders(id)
      const removing = linked.map((each) => bench.accounts.unlinkProvider({ identity, id: each.id }))
      await Promise.allSettled(removing)
      expect(await bench.links.listByAccount(id)).not.toEqual([])
    },
  )

  test('leaves one way in where a second removal comes between the claim and the removal of the first', async () => {
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
    expect(await refusalOf(removing)).toMatchObject({ code: 'LAST_WAY_IN' })
    expect(await second).toMatchObject({ ok: true })
    expect(await bench.links.listByAccount(id)).toHaveLength(1)
  })

  test('stays where the last passkey is being removed at the same time, and is gone after it', async () => {
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let removal: Promise<unknown> | null = null
    let removePasskey: () => Promise<unknown> = async () => null
    const { bench, id, elsewhere, linked } = await createLinked({
      aroundFactors: (store) =>
        wrapFactorStore(store, async (method, run) => {
          if (method === 'remove' && removal) {
            reached.resolve()
            await held.promise
          }
          return run()
        }),
      aroundLinks: (store) => ({
        ...store,
        async remove(link) {
          removal = removePasskey()
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
    expect(await refusalOf(unlinking)).toMatchObject({ code: 'LAST_WAY_IN' })
    held.resolve()
    expect(await removal).toMatchObject({ ok: true })
    expect([await bench.links.listByAccount(id), await bench.accounts.listPasskeys(id)]).toEqual([
      [expect.objectContaining({ accountId: id })],
      [],
    ])
  })

  test('goes with the account, and is in its export without the subject', async () => {
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

describe('what a step-up names where there is no second factor', () => {
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

test('a password is a way in, too', async () => {
  const { bench, id, identity } = await createSignedIn()
  await bench.link(id)
  const [linked] = await bench.accounts.linkedProviders(id)
  expect(await bench.accounts.unlinkProvider({ identity, id: linked?.id ?? '' })).toMatchObject({ ok: true })
  expect(await bench.accounts.signIn({ email: 'reader@example.com', password, delivery: 'session' })).toMatchObject({
    ok: true,
  })
})
