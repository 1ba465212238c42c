import { describe, expect, test } from 'vitest'
import { refusalOf, type SignInOptions, type TestOptions } from '../bench.ts'
import { delay, wrapDocumentStore } from '../stores/test-stores.ts'
import {
  breakStored,
  createFactorsBench,
  type FactorsBench,
  type FactorsBenchOptions,
  storedFactors,
} from './factors-bench.ts'
import { withPasskeysAlone } from './passkeys-alone.ts'

const openWithPasskeys = (count: number, options: FactorsBenchOptions = {}) =>
  withPasskeysAlone(createFactorsBench(options), count)

const stateOf = async (bench: FactorsBench, id: string) => [
  await bench.store.get(id),
  await storedFactors(bench, id),
  await bench.accounts.listSessions(id),
]

describe('the last passkey of an account without a password', () => {
  test('is not removed, and the account is unchanged', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1)
    const before = await stateOf(bench, id)
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD', field: null })
    await bench.accounts.settled()
    expect([await stateOf(bench, id), bench.outbox, bench.events]).toEqual([before, [], []])
    const response = await bench.showPasskey()
    expect(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })).toMatchObject({ ok: true })
  })

  test('is removed while another passkey exists, which then cannot be removed', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(2)
    const [first = '', second = ''] = ids
    const removed = await bench.accounts.removePasskey({ identity, id: first })
    if (!removed?.ok || !removed.credentials || removed.credentials.delivery !== 'session') throw new Error('refused')
    expect(bench.events).toMatchObject([{ type: 'factor.removed', accountId: id, factor: 'passkey', id: first }])
    const next = await bench.accounts.identifySession(await bench.sessions.read(removed.credentials.credential))
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity: next ?? identity, id: second }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect((await bench.accounts.listPasskeys(id)).map((passkey) => passkey.id)).toEqual([second])
  })

  test('is not removed beside an authenticator app, which alone cannot sign in', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1)
    await bench.documents.insert({ collection: 'factor-totp', id, owner: id, version: '1', value: '{}' })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
  })

  test.each([
    ['know+have', true],
    ['are+have', true],
    ['have', false],
  ] as const)('is removed if another passkey alone proves "%s": %s', async (category, goes) => {
    const parts = ({ passkeys, ...others }: SignInOptions): SignInOptions => {
      if (!passkeys) throw new Error('the bench has passkeys')
      const list: typeof passkeys.list = async (accountId) =>
        (await passkeys.list(accountId)).map((passkey) => ({ ...passkey, category }))
      return { ...others, passkeys: { ...passkeys, list } }
    }
    const { bench, id, identity, ids } = await withPasskeysAlone(createFactorsBench({}, parts), 2)
    const removal = bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })
    if (goes) expect(await removal).toMatchObject({ ok: true })
    else expect(await refusalOf(removal)).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.accounts.listPasskeys(id)).toHaveLength(goes ? 1 : 2)
  })

  const ways: readonly (readonly [way: string, options: TestOptions])[] = [
    ['codes by mail', { signIn: { emailCode: {} } }],
    ['an identity at a provider', { signIn: { providers: {} } }],
  ]
  test.each(ways)('is removed if the account has %s', async (_way, options) => {
    const { bench, id, identity, ids } = await openWithPasskeys(1, { options })
    const link = { issuer: 'https://id.example', subject: 'ada', createdAt: 0 }
    await bench.links.insert({ ...link, accountId: `${id}0`, subject: 'grace' })
    await bench.links.insert({ ...link, accountId: id })
    expect(await bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })).toMatchObject({ ok: true })
    expect(await bench.accounts.listPasskeys(id)).toEqual([])
  })

  test('is not removed beside a linked provider if providers are not configured', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1)
    await bench.links.insert({ issuer: 'https://id.example', subject: 'ada', accountId: id, createdAt: 0 })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
  })

  test('is not removed beside an unreadable link to a provider', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1, { options: { signIn: { providers: {} } } })
    const link = await bench.links.insert({ issuer: 'https://id.example', subject: 'ada', accountId: id, createdAt: 0 })
    const stored = await bench.documents.get('provider-link', link?.id ?? '')
    await bench.documents.replace(stored ?? expect.unreachable(), { version: 'broken', value: '{' })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.accounts.listPasskeys(id)).toHaveLength(1)
  })

  test('is not removed beside an unreadable passkey', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(2)
    await breakStored(bench, 'passkey', ids[1])
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
    expect(await bench.accounts.listPasskeys(id)).toMatchObject([{ id: ids[0] }])
  })

  test('is removed beside a readable passkey, even if others are unreadable', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(3)
    await breakStored(bench, 'passkey', ids[1])
    expect(await bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })).toMatchObject({ ok: true })
    expect(await bench.accounts.listPasskeys(id)).toMatchObject([{ id: ids[2] }])
  })

  test('is not removed if only another account has a linked provider', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1, { options: { signIn: { providers: {} } } })
    await bench.links.insert({ issuer: 'https://id.example', subject: 'grace', accountId: `${id}0`, createdAt: 0 })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_SIGN_IN_METHOD' })
  })
})

test('one of fifty parallel removals keeps the last passkey of an account', async () => {
  const { bench, id, identity, ids } = await openWithPasskeys(5, {
    aroundDocuments: (store) => wrapDocumentStore(store, delay),
  })
  const removals = Array.from({ length: 50 }, (_, index) =>
    bench.accounts.removePasskey({ identity, id: ids[index % ids.length] ?? '' }).catch((error: unknown) => error),
  )
  const outcomes = await Promise.all(removals)
  expect(outcomes.filter((outcome) => (outcome as { ok?: boolean } | null)?.ok === true)).toHaveLength(1)
  expect(await bench.accounts.listPasskeys(id)).toHaveLength(4)
})
