import type { ProviderIdentity } from '@latchkey/accounts'
import type { FactorProof } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createProvidersBench, heldOf, issuer } from './providers-bench.ts'
import { createSignedIn } from './signed-in-scene.ts'

describe('a link', () => {
  test.each<[string, (key: string, other: string) => Partial<ProviderIdentity>]>([
    ['begun by no one', () => ({ binding: null })],
    ['begun in another session of the account', (_key, other) => ({ binding: `link:${other}` })],
    ['begun in a session of another one', () => ({ binding: 'link:se_0000' })],
    ['begun in a session whose key begins the same', (key) => ({ binding: `link:${key.slice(0, -1)}` })],
    ['begun in the session to prove again who is signed in', (key) => ({ binding: `confirm:${key}` })],
    ['begun in the session for no purpose', (key) => ({ binding: key })],
  ])('is not made by a callback that was %s', async (_what, change) => {
    const { bench, id, identity, elsewhere, linkWith } = await createSignedIn()
    const before = await heldOf(bench, id)
    expect(await linkWith(identity, change(identity.key, elsewhere.identity.key))).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'other-session' })
  })

  test.each<[string, (now: number) => readonly FactorProof[]]>([
    ['nothing', () => []],
    ['a password more than 300 seconds ago', (now) => [{ kind: 'password', at: now - 300_001 }]],
    ['a provider that says no time', () => [{ kind: 'provider', at: 0 }]],
    ['a recovery code', (now) => [{ kind: 'recovery-code', at: now }]],
    ['a password in the future', (now) => [{ kind: 'password', at: now + 60_001 }]],
  ])('is not made where the session has shown %s: what the callback proves would count as fresh', async (_what, of) => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    const before = await heldOf(bench, id)
    expect(await linkWith({ ...identity, factors: of(bench.now()) as never })).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'proof-stale' })
  })

  test.each(['totp', 'passkey'])(
    'linkProvider of an account with a second factor needs a proof of it within 300 seconds: %s',
    async (kind) => {
      const bench = createProvidersBench()
      const account = await bench.insert()
      const { identity } = await bench.enrollTotp(account)
      const now = bench.now()
      const password: FactorProof = { kind: 'password', at: now }
      const linkWith = (factors: readonly FactorProof[]) =>
        bench.accounts.linkProvider({
          ...bench.shown({ binding: `link:${identity.key}` }),
          identity: { ...identity, factors: factors as never },
        })
      const before = await heldOf(bench, account.id)
      for (const factors of [[password], [password, { kind: 'provider', at: now }], [{ kind, at: now - 300_001 }]])
        expect(await linkWith(factors)).toEqual(invalidCredentials)
      expect(await heldOf(bench, account.id)).toEqual(before)
      expect(await linkWith([password, { kind, at: now }])).toMatchObject({ ok: true })
    },
  )

  test.each([-300_000, 60_000])('linkProvider accepts a password presented %d ms from now', async (ms) => {
    const { bench, identity, linkWith } = await createSignedIn()
    const factors = [{ kind: 'password', at: bench.now() + ms }] as const
    expect(await linkWith({ ...identity, factors: factors as never })).toMatchObject({ ok: true })
  })

  test('linkProvider accepts a password if only recovery codes are left of the second factors', async () => {
    const { bench, id, identity, linkWith } = await createSignedIn()
    await bench.store.replace(id, {}, { enrolled: ['recovery-code'] })
    expect(await linkWith(identity)).toMatchObject({ ok: true })
  })

  test('linkProvider is refused without a session', async () => {
    const { bench, id, identity } = await createSignedIn()
    for (const key of [null, undefined]) {
      const given = { ...bench.shown({ binding: `link:${key}` }), identity: { ...identity, key } as never }
      expect(await bench.accounts.linkProvider(given)).toEqual(invalidCredentials)
    }
    expect(await bench.links.listByAccount(id)).toEqual([])
  })
})

test.each(['', 'link:', 'link-'])(
  'confirmProvider refuses a callback with the binding "%s" and the key',
  async (prefix) => {
    const { bench, id, identity } = await createSignedIn()
    await bench.link(id)
    const before = await heldOf(bench, id)
    const confirm = (binding: string) => bench.accounts.confirmProvider({ ...bench.shown({ binding }), identity })
    expect(await confirm(`${prefix}${identity.key}`)).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'provider.refused', issuer, reason: 'other-session' })
    expect(await confirm(`confirm:${identity.key}`)).toMatchObject({ ok: true })
  },
)

test.each(['link:', 'confirm:', ''])(
  'signInWithProvider refuses a callback with the binding "%s" and a key',
  async (prefix) => {
    const { bench, id, identity } = await createSignedIn()
    await bench.link(id)
    const before = await heldOf(bench, id)
    expect(await bench.byProvider({ binding: `${prefix}${identity.key}` })).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'other-session' })
  },
)
