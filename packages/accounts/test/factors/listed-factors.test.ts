import type { SignInSuccess } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'
import { createFactorsBench } from './factors-bench.ts'

describe('listFactors', () => {
  test('lists all passkeys as one factor, with the oldest creation and the latest use', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const begin = bench.now()
    const first = await bench.addPasskey(await bench.signIn())
    const listed = () => bench.accounts.listFactors(account.id)
    expect(await listed()).toMatchObject([{ kind: 'passkey', createdAt: begin, lastUsedAt: null }, {}])
    const signIn = async () => {
      const response = await bench.showPasskey()
      return bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })
    }
    bench.advance(60)
    expect(await signIn()).toMatchObject({ ok: true })
    await bench.addPasskey({ identity: first.identity } as SignInSuccess)
    bench.advance(60)
    expect(await signIn()).toMatchObject({ ok: true })
    const usedAt = bench.now()
    bench.advance(60)
    expect(await listed()).toEqual([
      { kind: 'passkey', category: 'know+have', createdAt: begin, lastUsedAt: usedAt, isDisabled: false },
      { kind: 'recovery-code', category: 'have', createdAt: begin, lastUsedAt: null, isDisabled: false },
    ])
  })

  test('returns an empty list for an account without factors', async () => {
    const bench = createFactorsBench()
    const { id } = await bench.insert()
    expect([await bench.accounts.listFactors(id), await bench.accounts.listPasskeys(id)]).toEqual([[], []])
  })
})

test('the name of a passkey has at most 64 characters, however they are written', async () => {
  const bench = createFactorsBench()
  await bench.insert()
  const { identity } = await bench.signIn()
  const begun = await bench.accounts.startPasskeyRegistration({ identity })
  const response = await bench.authenticator.create((begun.ok && begun.options) as never)
  const named = (name: string) => bench.accounts.finishPasskeyRegistration({ identity, name, response })
  await expect(named('\u{1f98a}'.repeat(65))).rejects.toMatchObject({ code: 'NAME_INVALID', field: 'name' })
  const longest = '\u{1f98a}'.repeat(64)
  expect(await named(longest)).toMatchObject({ ok: true, passkey: { name: longest } })
})

test('a passkey ceremony gives the browser the address and the name of the account', async () => {
  const bench = createFactorsBench()
  const { email, name } = await bench.insert({ name: 'Ada Reader' })
  const begun = await bench.accounts.startPasskeyRegistration({ identity: (await bench.signIn()).identity })
  expect(begun).toMatchObject({ ok: true, options: { user: { name: email, displayName: name } } })
})
