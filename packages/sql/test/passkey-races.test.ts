import { DatabaseSync } from 'node:sqlite'
import { createPasskeys } from '@latchkey/passkeys'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { createSqliteStores } from '@latchkey/sql'
import { expect, test } from 'vitest'

const origin = 'https://example.com'
const ada = { id: 'acc_ada', name: 'ada@example.com', displayName: 'Ada' }
const fifty = Array.from({ length: 50 }, (_none, index) => index)

async function openPasskeys(counter: number | null = null) {
  const { factors, records, migrate } = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  await migrate()
  const passkeys = createPasskeys({
    factors,
    records,
    secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }],
    relyingParty: { id: 'example.com', name: 'Example', origins: [origin] },
  })
  return { passkeys, factors, authenticator: createSoftwareAuthenticator({ origin, counter }) }
}

async function openRegistered(counter: number | null = null) {
  const opened = await openPasskeys(counter)
  const { options } = await opened.passkeys.startRegistration(ada)
  const response = await opened.authenticator.create(options)
  expect((await opened.passkeys.finishRegistration(ada.id, response, { name: 'Phone' })).ok).toBe(true)
  return opened
}

test('of fifty requests with one response to a registration, one registers the passkey', async () => {
  const { passkeys, authenticator } = await openPasskeys()
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

test('of fifty requests with one response to a sign-in, one signs in', async () => {
  const { passkeys, authenticator } = await openRegistered(0)
  const { options } = await passkeys.startSignIn()
  const response = await authenticator.get(options)
  const verdicts = await Promise.all(fifty.map(() => passkeys.finishSignIn(response)))
  expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
  for (const verdict of verdicts) if (!verdict.ok) expect(verdict.reason).toBe('challenge')
})

test('fifty sign-ins of one passkey at once leave its highest counter', async () => {
  const { passkeys, factors, authenticator } = await openRegistered(0)
  const signIn = async () => {
    const { options } = await passkeys.startSignIn()
    return passkeys.finishSignIn(await authenticator.get(options))
  }
  const verdicts = await Promise.all(fifty.map(signIn))
  for (const verdict of verdicts) if (!verdict.ok) expect(verdict.reason).toBe('counter')
  const [factor] = await factors.listByAccount(ada.id)
  expect(JSON.parse(factor!.value).counter).toBe(50)
})

test('of fifty removals of one passkey, one removes it', async () => {
  const { passkeys, factors } = await openRegistered()
  const [factor] = await factors.listByAccount(ada.id)
  const removals = await Promise.all(fifty.map(() => passkeys.remove(ada.id, factor!.id)))
  expect(removals.filter(Boolean)).toHaveLength(1)
})
