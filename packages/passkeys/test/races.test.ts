import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { describePasskeyRaces } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { ada, bob, createBench, origin, registered } from './passkeys-bench.ts'

const fifty = Array.from({ length: 50 }, (_none, index) => index)

describePasskeyRaces(async (counter) => createBench({}, { counter }))

describe('at once', () => {
  const bench = async (device = {}) => createBench({}, device)

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
})
