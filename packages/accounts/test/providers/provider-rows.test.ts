import type { ProviderIdentity } from '@latchkey/accounts'
import { type SignInTransition, signInTransitions } from '@latchkey/accounts/internal'
import { expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createProvidersBench, heldOf, type ProvidersBench, successOf } from './providers-bench.ts'

// Every row of the table of sign-ins that the callback of a provider takes.
const rows = signInTransitions.filter(({ on }) => on === 'provider')

test('a callback signs in, or proves again who is signed in or has to enrol, and leads nowhere else', () => {
  const ways = new Set(rows.filter(({ to }) => to !== 'refused').map(({ from, to }) => `${from} ${to}`))
  expect(ways).toEqual(new Set(['anonymous first-factor-proven', 'signed-in stepped-up', 'restricted stepped-up']))
})

/** What the callback of a row says. */
function presentedIn({ from, when }: SignInTransition, key: string, now: number): Partial<ProviderIdentity> {
  const isAgain = from !== 'anonymous'
  if (when === 'other-session') return { binding: isAgain ? null : key }
  return {
    binding: isAgain ? `confirm:${key}` : null,
    ...(when === 'factor-wrong' && { subject: 'another' }),
    ...(isAgain && { authenticatedAt: now - (when === 'factor-stale' ? 300_001 : 300_000) }),
  }
}

async function fulfil({ store }: ProvidersBench, id: string, { when }: SignInTransition): Promise<void> {
  if (when === 'unknown-account') await store.remove(id)
  if (when === 'unverified' || when === 'disabled' || when === 'locked') await store.replace(id, {}, { status: when })
}

test.each(rows.map((row) => [`${row.from} at provider, ${row.when}: ${row.to}`, row] as const))(
  'the table decides %s',
  async (_what, row) => {
    const bench = createProvidersBench()
    const { id } = await bench.insert()
    await bench.link(id)
    const { identity } = await successOf(bench.byProvider())
    bench.advance(60)
    await fulfil(bench, id, row)
    const before = await heldOf(bench, id)
    const shown = bench.shown(presentedIn(row, identity.key, bench.now()))
    const mustEnroll = row.from === 'restricted'
    const again = { ...shown, identity: { ...identity, mustEnroll } }
    const result =
      row.from === 'anonymous' ? await bench.byProvider(shown) : await bench.accounts.confirmProvider(again)
    if (row.to !== 'refused') {
      const factors = [{ kind: 'provider', at: shown.authenticatedAt }]
      expect(result).toMatchObject({ ok: true, status: 'signed-in', account: { id }, identity: { factors } })
      const { open } = await heldOf(bench, id)
      expect(open).toHaveLength(row.to === 'stepped-up' ? 1 : 2)
      expect(open).not.toEqual(before.open)
      return
    }
    expect(result).toEqual(invalidCredentials)
    expect(await heldOf(bench, id)).toEqual(before)
    const type = row.from === 'anonymous' ? 'sign-in.failed' : 'provider.refused'
    expect(bench.events.at(-1)).toMatchObject({ type, reason: row.when })
  },
)
