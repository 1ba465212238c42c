import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench, storedFactors } from './factors-bench.ts'

/** An account with an app and a passkey, and a code that is right. */
async function enrolled(bench: FactorsBench) {
  const account = await bench.insert()
  const app = await bench.enrollTotp(account)
  const passkey = await bench.addPasskey({ identity: app.identity } as never)
  bench.advance(30)
  return { account, identity: passkey.identity, id: passkey.id, code: bench.codeOf(app.secret) }
}
type Enrolled = Awaited<ReturnType<typeof enrolled>>

const changes: Readonly<
  Record<string, readonly [factor: string, run: (bench: FactorsBench, of: Enrolled) => Promise<unknown>]>
> = {
  startTotpEnrollment: ['totp', ({ accounts }, { identity }) => accounts.startTotpEnrollment({ identity })],
  confirmTotpEnrollment: [
    'totp',
    ({ accounts }, { identity, code }) => accounts.confirmTotpEnrollment({ identity, code }),
  ],
  disableTotp: ['totp', ({ accounts }, { identity, code }) => accounts.disableTotp({ identity, code })],
  regenerateRecoveryCodes: [
    'recovery-code',
    ({ accounts }, { identity, code }) => accounts.regenerateRecoveryCodes({ identity, code }),
  ],
  startPasskeyRegistration: [
    'passkey',
    ({ accounts }, { identity }) => accounts.startPasskeyRegistration({ identity }),
  ],
  finishPasskeyRegistration: [
    'passkey',
    ({ accounts }, { identity }) => accounts.finishPasskeyRegistration({ identity, name: 'Phone', response: {} }),
  ],
  removePasskey: ['passkey', ({ accounts }, { identity, id }) => accounts.removePasskey({ identity, id })],
}

describe.each(Object.entries(changes))('%s', (_name, [factor, run]) => {
  test('is refused once the account has changed, and leaves the account unchanged', async () => {
    const bench = createFactorsBench()
    const scene = await enrolled(bench)
    const { id } = scene.account
    await bench.store.replace(id, {}, { epoch: 9 })
    const stored = await storedFactors(bench, id)
    expect(await run(bench, scene)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({
      type: 'second-factor.failed',
      accountId: id,
      sessionKey: scene.identity.key,
      factor,
      reason: 'account-changed',
    })
    expect(await storedFactors(bench, id)).toEqual(stored)
    expect(await bench.store.get(id)).toMatchObject({ epoch: 9 })
  })

  test.each([
    ['is disabled', ({ store }: FactorsBench, id: string) => store.replace(id, {}, { status: 'disabled' })],
    ['is gone', ({ store }: FactorsBench, id: string) => store.remove(id)],
  ])('is refused if the account %s', async (_what, close) => {
    const bench = createFactorsBench()
    const scene = await enrolled(bench)
    const { id } = scene.account
    await close(bench, id)
    const stored = await storedFactors(bench, id)
    expect(await run(bench, scene)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor, reason: 'account-changed' })
    expect(await storedFactors(bench, id)).toEqual(stored)
  })
})

test('an identity without an epoch may change factors, unless it signed in with a recovery code', async () => {
  const bench = createFactorsBench()
  await bench.insert()
  const { epoch: _epoch, ...identity } = (await bench.signIn()).identity
  expect(await bench.accounts.startTotpEnrollment({ identity })).toMatchObject({ ok: true })
})

test('a change of an account that keeps changing is refused and removes no factor', async () => {
  let keepsChanging = false
  const bench = createFactorsBench({
    aroundAccounts: async (method, run) => (keepsChanging && method === 'replace' ? false : run()),
  })
  const scene = await enrolled(bench)
  keepsChanging = true
  expect(await bench.accounts.disableTotp(scene)).toEqual(invalidCredentials)
  expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor: 'totp', reason: 'account-changed' })
  expect(await bench.accounts.listFactors(scene.account.id)).toHaveLength(3)
})

test.each(['disableTotp', 'regenerateRecoveryCodes', 'removePasskey'])(
  '%s is refused if the account changes during the proof of its owner, and removes no factor',
  async (name) => {
    const [factor, run] = changes[name] ?? []
    let onRead = async (): Promise<unknown> => undefined
    const thenRead = async <T>(found: T): Promise<T> => {
      await onRead()
      return found
    }
    const bench = createFactorsBench({
      aroundDocuments: (store) => ({
        ...store,
        listByOwner: async (...given) => thenRead(await store.listByOwner(...given)),
        get: async (...given) => thenRead(await store.get(...given)),
      }),
    })
    const scene = await enrolled(bench)
    const { id } = scene.account
    onRead = () => bench.store.replace(id, {}, { epoch: 9 })
    expect(await run?.(bench, scene)).toEqual(invalidCredentials)
    expect(bench.events.at(-1)).toMatchObject({ type: 'second-factor.failed', factor, reason: 'account-changed' })
    const kinds = (await bench.accounts.listFactors(id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['totp', 'passkey', 'recovery-code'])
  },
)

test('resetFactors without configured factors only revokes the sessions', async () => {
  const bench = createFactorsBench({}, () => ({}))
  const { id } = await bench.insert()
  await bench.signIn()
  expect(await bench.accounts.resetFactors({ id })).toMatchObject({ id, status: 'active' })
  expect(bench.events.filter(({ type }) => type === 'factor.removed')).toEqual([])
  expect(await bench.accounts.listSessions(id)).toEqual([])
})

test('a step-up of an account with neither password nor factor leads nowhere', async () => {
  const bench = createFactorsBench()
  const { id: subject } = await bench.insert({ passwordHash: null })
  const asked = bench.accounts.startStepUp({ identity: { subject, key: 'se_1' }, kinds: ['totp', 'passkey'] })
  expect(await asked).toEqual({ challenge: null, factors: [] })
})

test('a change of a factor returns no device token if known devices are not configured', async () => {
  const bench = createFactorsBench({ options: { signIn: { knownDevices: undefined as never } } })
  const account = await bench.insert()
  const { secret, identity } = await bench.enrollTotp(account)
  bench.advance(30)
  const changed = await bench.accounts.disableTotp({ identity, code: bench.codeOf(secret) })
  expect(changed).toMatchObject({ ok: true, deviceToken: null })
})

test('resetFactors returns null if the account is removed at the same time', async () => {
  let onRemove = async (): Promise<unknown> => true
  const bench = createFactorsBench({
    aroundDocuments: (store) => ({
      ...store,
      async remove(id) {
        await onRemove()
        return store.remove(id)
      },
    }),
  })
  const { account } = await enrolled(bench)
  onRemove = () => bench.store.remove(account.id)
  expect(await bench.accounts.resetFactors({ id: account.id })).toBeNull()
  expect(await storedFactors(bench, account.id)).toEqual([])
})

test('a failed mail about a factor emits an event with its purpose', async () => {
  const bench = createFactorsBench({ options: { mails: { mailer: { send: () => Promise.reject(new Error('550')) } } } })
  const purposesOf = async (run: () => Promise<unknown>) => {
    bench.events.length = 0
    await run()
    await bench.accounts.settled()
    return bench.events.flatMap((event) => (event.type === 'mail.failed' ? event.purpose : []))
  }
  const account = await bench.insert()
  const { accounts } = bench
  const { secret, codes, identity } = await bench.enrollTotp(account)
  await accounts.settled()
  expect(await purposesOf(() => bench.addPasskey({ identity } as never))).toEqual(['factor-added'])
  const challenge = await challengeOf(bench.tryPassword())
  const answer = { delivery: 'session', challenge, code: codes[0] ?? '' } as const
  expect(await purposesOf(() => accounts.verifySecondFactor(answer))).toEqual(['recovery-code-used'])
  bench.advance(30)
  const again = await challengeOf(bench.tryPassword())
  const signedIn = await accounts.verifySecondFactor({ ...answer, challenge: again, code: bench.codeOf(secret) })
  if (!signedIn.ok) throw new Error('refused')
  bench.advance(30)
  const disabling = { identity: signedIn.identity, code: bench.codeOf(secret) }
  expect(await purposesOf(() => accounts.disableTotp(disabling))).toEqual(['factor-removed'])
  expect(await purposesOf(() => accounts.resetFactors({ id: account.id }))).toEqual(['factor-removed'])
})
