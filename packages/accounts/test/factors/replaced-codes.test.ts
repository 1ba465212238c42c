import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { createFactorsBench, type FactorsBench } from './factors-bench.ts'

const refusals = ({ events }: FactorsBench) => events.filter(({ type }) => type === 'second-factor.failed')

/** An account with an app and a passkey that was shown just now. */
async function enrolled(bench: FactorsBench) {
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  const { identity } = await bench.addPasskey({ identity: app.identity } as never)
  return { account, app, identity }
}

describe('recovery codes are not replaced, and the event says why,', () => {
  test.each([
    ['nothing', () => null],
    ['a recovery code', (codes: readonly string[]) => codes[0] ?? ''],
    ['a wrong code', () => '000000'],
  ])('by %s if the account has an app, even beside a fresh passkey', async (_what, choose) => {
    const bench = createFactorsBench()
    const { account, app, identity } = await enrolled(bench)
    const code = choose(app.codes)
    expect(await bench.accounts.regenerateRecoveryCodes({ identity, code })).toEqual(invalidCredentials)
    const refused = { accountId: account.id, factor: 'totp', reason: 'factor-wrong' }
    expect(refusals(bench)).toMatchObject([refused])
  })

  test('by a passkey that was presented more than five minutes ago', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    const { identity } = await bench.addPasskey(await bench.signIn())
    bench.advance(301)
    expect(await bench.accounts.regenerateRecoveryCodes({ identity })).toEqual(invalidCredentials)
    const refused = { accountId: id, factor: 'passkey', reason: 'factor-not-enrolled' }
    expect(refusals(bench)).toMatchObject([refused])
  })

  test.each([
    ['an account has none', {}],
    ['none are offered', { signIn: { passkeys: undefined as never } }],
  ])('by a passkey that an identity names if %s', async (_where, options) => {
    const bench = createFactorsBench({ options })
    await bench.insert()
    const { identity } = await bench.signIn()
    const shown = { ...identity, factors: [{ kind: 'passkey', at: bench.now(), category: 'know+have' as const }] }
    expect(await bench.accounts.regenerateRecoveryCodes({ identity: shown })).toEqual(invalidCredentials)
    expect(refusals(bench)).toMatchObject([{ factor: 'passkey', reason: 'factor-not-enrolled' }])
  })
})

test('a password that was just presented replaces no recovery codes', async () => {
  const bench = createFactorsBench()
  await bench.insert()
  const { identity } = await bench.addPasskey(await bench.signIn())
  const shown = { ...identity, factors: [{ kind: 'password', at: bench.now(), category: 'know' as const }] }
  expect(await bench.accounts.regenerateRecoveryCodes({ identity: shown })).toEqual(invalidCredentials)
  expect(refusals(bench)).toMatchObject([{ factor: 'passkey', reason: 'factor-not-enrolled' }])
})

test('recovery codes are replaced by a fresh passkey if the app of the account is disabled', async () => {
  let isDisabled = false
  const bench = createFactorsBench({}, ({ totp, ...parts }) => {
    const find = async (id: string) => {
      const found = (await totp?.find(id)) ?? null
      return found && { ...found, isDisabled }
    }
    return { ...parts, totp: { ...(totp as NonNullable<typeof totp>), find } }
  })
  const { app, identity } = await enrolled(bench)
  isDisabled = true
  const replaced = await bench.accounts.regenerateRecoveryCodes({ identity })
  expect(replaced).toMatchObject({ ok: true, codes: expect.any(Array) })
  expect(replaced.ok && replaced.codes).not.toEqual(app.codes)
})

test('regenerateRecoveryCodes renews the proof of the presented code', async () => {
  const bench = createFactorsBench()
  const { app, identity } = await enrolled(bench)
  bench.advance(60)
  const code = bench.codeOf(app.secret)
  const replaced = await bench.accounts.regenerateRecoveryCodes({ identity, code })
  const fresh = { kind: 'totp', at: bench.now(), category: 'have' }
  expect(replaced.ok && replaced.credentials?.session.factors).toContainEqual(fresh)
})

test('recovery codes are replaced by a fresh passkey if apps are not configured', async () => {
  const bench = createFactorsBench({}, ({ totp: _totp, ...parts }) => parts)
  await bench.insert()
  const { identity } = await bench.addPasskey(await bench.signIn())
  expect(await bench.accounts.regenerateRecoveryCodes({ identity })).toMatchObject({ ok: true })
})
