import type { AccountsOptions, SignInSuccess } from '@latchkey/accounts'
import { createMemoryLinkStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials, refusalOf } from '../bench.ts'
import type { Added, FactorsBench, FactorsBenchOptions } from '../factors/factors-bench.ts'
import { delay, wrapFactorStore } from '../stores/test-stores.ts'
import { createAuditedBench } from './audited-bench.ts'

/** An account of these passkeys, without a password, and the session of the last one. */
async function openWithPasskeys(count: number, options: FactorsBenchOptions = {}) {
  const bench = createAuditedBench(options)
  const { id } = await bench.insert()
  const passkeys: Added[] = []
  let signedIn: Pick<SignInSuccess, 'identity'> = await bench.signIn()
  for (let added = 0; added < count; added++) {
    const passkey = await bench.addPasskey(signedIn as SignInSuccess)
    passkeys.push(passkey)
    signedIn = passkey
  }
  const { epoch } = (await bench.store.get(id)) ?? { epoch: 0 }
  await bench.store.replace(id, { epoch }, { passwordHash: null })
  await bench.accounts.settled()
  await bench.written()
  bench.outbox.length = 0
  bench.events.length = 0
  return { bench, id, identity: signedIn.identity, ids: passkeys.map((passkey) => passkey.id) }
}

const stateOf = async (bench: FactorsBench, id: string) => [
  await bench.store.get(id),
  await bench.factors.listByAccount(id),
  await bench.accounts.listSessions(id),
]

describe('the last passkey of an account without a password', () => {
  test('stays, and nothing has changed', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1)
    const before = await stateOf(bench, id)
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_WAY_IN', field: null })
    await bench.accounts.settled()
    expect([await stateOf(bench, id), bench.outbox, bench.events]).toEqual([before, [], []])
    const response = await bench.showPasskey()
    expect(await bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })).toMatchObject({ ok: true })
  })

  test('goes once there is another one, which stays then', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(2)
    const [first = '', second = ''] = ids
    const removed = await bench.accounts.removePasskey({ identity, id: first })
    if (!removed?.ok || !removed.credentials || removed.credentials.delivery !== 'session') throw new Error('refused')
    const next = await bench.accounts.identifySession(await bench.sessions.read(removed.credentials.credential))
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity: next ?? identity, id: second }))
    expect(refusal).toMatchObject({ code: 'LAST_WAY_IN' })
    expect((await bench.accounts.listPasskeys(id)).map((passkey) => passkey.id)).toEqual([second])
  })

  test('stays beside an authenticator app, which signs nobody in', async () => {
    const { bench, id, identity, ids } = await openWithPasskeys(1)
    await bench.factors.insert({ id: `totp_${id}`, accountId: id, kind: 'totp', value: '{}' })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_WAY_IN' })
  })

  const ways: readonly (readonly [way: string, options: Partial<AccountsOptions>])[] = [
    ['codes by mail', { emailCode: {} }],
    ['an identity at a provider', { links: createMemoryLinkStore() }],
  ]
  test.each(ways)('goes where there are %s', async (_way, options) => {
    const { bench, id, identity, ids } = await openWithPasskeys(1, { options })
    const link = { issuer: 'https://id.example', subject: 'ada', createdAt: 0 }
    await options.links?.insert({ ...link, accountId: `${id}0`, subject: 'grace' })
    await options.links?.insert({ ...link, accountId: id })
    expect(await bench.accounts.removePasskey({ identity, id: ids[0] ?? '' })).toMatchObject({ ok: true })
    expect(await bench.accounts.listPasskeys(id)).toEqual([])
  })

  test('stays where only another account has an identity at a provider', async () => {
    const links = createMemoryLinkStore()
    const { bench, id, identity, ids } = await openWithPasskeys(1, { options: { links } })
    await links.insert({ issuer: 'https://id.example', subject: 'grace', accountId: `${id}0`, createdAt: 0 })
    const refusal = await refusalOf(bench.accounts.removePasskey({ identity, id: ids[0] ?? '' }))
    expect(refusal).toMatchObject({ code: 'LAST_WAY_IN' })
  })
})

test('of fifty removals at once of all passkeys of an account one is made', async () => {
  const { bench, id, identity, ids } = await openWithPasskeys(5, {
    aroundFactors: (store) => wrapFactorStore(store, delay),
  })
  const removals = Array.from({ length: 50 }, (_, index) =>
    bench.accounts.removePasskey({ identity, id: ids[index % ids.length] ?? '' }).catch((error: unknown) => error),
  )
  const outcomes = await Promise.all(removals)
  expect(outcomes.filter((outcome) => (outcome as { ok?: boolean } | null)?.ok === true)).toHaveLength(1)
  expect(await bench.accounts.listPasskeys(id)).toHaveLength(4)
})

test('a removal that begins between claim and removal of another one leaves the last passkey', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let isFirst = true
  const { bench, id, identity, ids } = await openWithPasskeys(2, {
    aroundFactors: (store) =>
      wrapFactorStore(store, async (method, run) => {
        if (method !== 'removeUnlessLast' || !isFirst) return run()
        isFirst = false
        reached.resolve()
        await held.promise
        return run()
      }),
  })
  const [first = '', second = ''] = ids
  const early = refusalOf(bench.accounts.removePasskey({ identity, id: first }))
  await reached.promise
  // The session goes on over the claim of the first removal.
  const { epoch = 0 } = (await bench.store.get(id)) ?? {}
  const late = await bench.accounts.removePasskey({ identity: { ...identity, epoch }, id: second })
  expect(late).toMatchObject({ ok: true })
  held.resolve()
  expect(await early).toMatchObject({ code: 'LAST_WAY_IN' })
  expect((await bench.accounts.listPasskeys(id)).map((passkey) => passkey.id)).toEqual([first])
  expect((await bench.written()).toSorted()).toEqual([
    'factor.removed done',
    'factor.removed failed',
    'factor.removed intended',
    'factor.removed intended',
  ])
  const again = await bench.accounts.removePasskey({ identity, id: first })
  expect(again).toEqual(invalidCredentials)
})
