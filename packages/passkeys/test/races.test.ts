import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { describe, expect, test } from 'vitest'
import { ada, bob, createBench, origin, registered } from './passkeys-bench.ts'

const fifty = Array.from({ length: 50 }, (_none, index) => index)

// On SQLite: packages/sql/test/passkey-races.test.ts.
describe('fifty at once', () => {
  const bench = async (device = {}) => createBench({}, device)

  test('one response of a sign-in has one winner', async () => {
    const one = await bench({ counter: 0 })
    await registered(one)
    const { options } = await one.passkeys.startSignIn()
    const response = await one.authenticator.get(options)
    const verdicts = await Promise.all(fifty.map(() => one.passkeys.finishSignIn(response)))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(new Set(verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.reason])))).toEqual(new Set(['challenge']))
  })

  test('one response of a registration has one winner, and its activation happens once', async () => {
    const { passkeys, authenticator } = await bench()
    const { options } = await passkeys.startRegistration(ada)
    const response = await authenticator.create(options)
    let activations = 0
    const beforeActivation = async () => ++activations > 0
    const finish = () => passkeys.finishRegistration(ada.id, response, { name: 'Phone', beforeActivation })
    const verdicts = await Promise.all(fifty.map(finish))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(activations).toBe(1)
    expect(await passkeys.list(ada.id)).toHaveLength(1)
  })

  test('one credential that several accounts register belongs to one of them', async () => {
    const { passkeys, stored } = await bench()
    const credentialId = new Uint8Array(32).fill(3)
    const finish = async (account: typeof ada) => {
      const { options } = await passkeys.startRegistration(account)
      const response = await createSoftwareAuthenticator({ origin }).create(options, { credentialId })
      return passkeys.finishRegistration(account.id, response, { name: 'Phone' })
    }
    const verdicts = await Promise.all(fifty.slice(0, 20).map((index) => finish(index % 2 === 0 ? ada : bob)))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(((await stored()) as unknown[][]).flat()).toHaveLength(1)
  })

  test('sign-ins with challenges of their own all succeed for a passkey that does not count', async () => {
    const one = await bench()
    await registered(one)
    const verdicts = await Promise.all(fifty.map(() => one.signIn()))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(50)
  })

  test('the counter only goes up, whatever the order of sign-ins', async () => {
    const one = await bench({ counter: 0 })
    await registered(one)
    const verdicts = await Promise.all(fifty.map(() => one.signIn()))
    const refusals = verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.reason]))
    expect(new Set([...refusals, 'counter'])).toEqual(new Set(['counter']))
    const [factor] = await one.factors.listByAccount(ada.id)
    expect(JSON.parse(factor!.value).counter).toBe(50)
  })

  test('one passkey is removed once', async () => {
    const one = await bench()
    const { id } = await registered(one)
    const removals = await Promise.all(fifty.map(() => one.passkeys.remove(ada.id, id)))
    expect(removals.filter(Boolean)).toHaveLength(1)
  })
})
