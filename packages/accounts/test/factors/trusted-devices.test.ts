import { allowNativeDelivery, type SignInResult, type StoredAccount } from '@latchkey/accounts'
import { readTrustedDevices } from '@latchkey/accounts/internal'
import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'
import { countHashes, createBench, email, invalidCredentials, joinOptions, password } from '../bench.ts'
import { challengeOf, createFactorsBench, type FactorsBench, type FactorsBenchOptions } from './factors-bench.ts'

const session = { delivery: 'session' } as const
const dayInSeconds = 86_400

type Kind = 'totp' | 'passkey' | 'recovery-code'

/** An account with an app and a passkey, on a service that remembers devices for thirty days. */
async function createScene({ options, ...others }: FactorsBenchOptions = {}) {
  const bench = createFactorsBench({
    ...others,
    options: joinOptions({ signIn: { trustedDevices: { days: 30 } } }, options),
  })
  const account = await bench.insert()
  const { secret, codes, identity } = await bench.enrollTotp(account)
  const added = await bench.addPasskey({ identity } as never)
  bench.advance(30)

  const finish = async (by: Kind, trustDevice?: boolean): Promise<SignInResult> => {
    const challenge = await challengeOf(bench.tryPassword())
    const input = { ...session, challenge, ...(trustDevice !== undefined && { trustDevice }) }
    if (by === 'passkey') {
      return bench.accounts.finishPasskeySignIn({ ...input, response: await bench.showPasskey(challenge) })
    }
    bench.advance(30)
    const code = by === 'totp' ? bench.codeOf(secret) : (codes[0] ?? '')
    return bench.accounts.verifySecondFactor({ ...input, code })
  }
  const remember = async (by: Kind = 'totp'): Promise<string> => {
    const result = await finish(by, true)
    return (signedIn(result).trustedDeviceToken ?? '') || fail('the device is not remembered')
  }
  const show = (trustedDeviceToken: string | null, change: object = {}) =>
    bench.accounts.signIn({ email, password, ...session, trustedDeviceToken, ...change })
  return { bench, account, secret, codes, identity: added.identity, finish, remember, show }
}

function fail(why: string): never {
  throw new Error(why)
}

function signedIn(result: SignInResult) {
  return result.ok && result.status === 'signed-in' ? result : fail('not signed in')
}

const asked = { ok: true, status: 'second-factor-required' }

/** What is open, and what was announced. */
const stateOf = async ({ bench, account }: { bench: FactorsBench; account: StoredAccount }) => ({
  sessions: (await bench.sessions.list(account.id)).map(({ key }) => key).sort(),
  account: await bench.store.get(account.id),
})

describe('a device that is remembered', () => {
  test.each(['totp', 'passkey'] as const)('after a %s signs in by the password alone', async (by) => {
    const scene = await createScene()
    const token = await scene.remember(by)
    expect(scene.bench.events.slice(-2)).toMatchObject([
      { type: 'session.created', byRememberedDevice: false },
      { type: 'device.remembered', accountId: scene.account.id },
    ])
    const result = signedIn(await scene.show(token))
    expect(result.trustedDeviceToken).toBeNull()
    expect(scene.bench.events.at(-1)).toMatchObject({ type: 'session.created', byRememberedDevice: true })
  })

  test('proves the password only, so a fresh proof is still required', async () => {
    const scene = await createScene()
    const { identity } = signedIn(await scene.show(await scene.remember()))
    expect(identity.factors).toEqual([{ kind: 'password', at: scene.bench.now(), category: 'know' }])
    expect(identity.enrolledFactors).toEqual(['totp', 'passkey'])
    const kinds = ['totp', 'passkey']
    expect(await scene.bench.accounts.startStepUp({ identity, kinds })).toMatchObject({ factors: kinds })
  })

  test('is trusted for thirty days, even after many sign-ins', async () => {
    const scene = await createScene()
    const token = await scene.remember()
    scene.bench.advance(30 * dayInSeconds - 1)
    expect(await scene.show(token)).toMatchObject({ status: 'signed-in' })
    scene.bench.advance(1)
    expect(await scene.show(token)).toMatchObject(asked)
  })

  test.each(['token', 'native'] as const)('gets credentials for delivery %s', async (delivery) => {
    const scene = await createScene({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
    const result = signedIn(await scene.show(await scene.remember(), { delivery }))
    expect(result.credentials.delivery).toBe(delivery)
  })

  test('still needs the right password, after one hash and with the same answer', async () => {
    const scene = await createScene()
    const token = await scene.remember()
    const before = await stateOf(scene)
    const hashes = await countHashes(async () => {
      expect(await scene.show(token, { password: 'another password' })).toEqual(invalidCredentials)
    })
    expect([hashes, await stateOf(scene)]).toEqual([1, before])
    expect(scene.bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'wrong-password' })
  })

  test.each(['disabled', 'locked', 'unverified'] as const)(
    'does not sign in to an account that is %s',
    async (status) => {
      const scene = await createScene()
      const token = await scene.remember()
      await scene.bench.store.replace(scene.account.id, {}, { status })
      expect(await scene.show(token)).toEqual(invalidCredentials)
    },
  )

  test('is looked up only if a second factor would be required', async () => {
    let reads = 0
    const scene = await createScene({
      aroundRecords: (method, run) => {
        if (method === 'get') reads++
        return run()
      },
    })
    const token = await scene.remember()
    const other = await scene.bench.insert({ email: 'other@example.com' })
    const readsOf = async (shown: string | null, change: object) => {
      const before = reads
      await scene.show(shown, change)
      return reads - before
    }
    for (const change of [{ email: other.email }, { password: 'another password' }, { email: 'none@example.com' }]) {
      expect(await readsOf(token, change)).toBe(await readsOf(null, change))
    }
    expect(await readsOf(token, {})).toBe((await readsOf(null, {})) + 1)
  })

  test('rejects while the store fails, without a session or a challenge', async () => {
    let isDown = false
    const scene = await createScene({
      aroundRecords: async (method, run) => {
        if (isDown && method === 'get') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    const token = await scene.remember()
    const before = await stateOf(scene)
    isDown = true
    await expect(scene.show(token)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    isDown = false
    expect(await stateOf(scene)).toEqual(before)
    expect(await scene.show(token)).toMatchObject({ status: 'signed-in' })
  })
})

describe('an invalid trusted device token is ignored, and the second factor requested', () => {
  const forged: Readonly<Record<string, (token: string, scene: Awaited<ReturnType<typeof createScene>>) => unknown>> = {
    'with another secret': (token) => `${token.slice(0, token.indexOf('.') + 1)}${'A'.repeat(43)}`,
    'without a secret': (token) => token.slice(0, token.indexOf('.')),
    'with more behind it': (token) => `${token}A`,
    'of another kind': (token) => token.replace('device_', 'factor_'),
    'that is empty': () => '',
    'that is very long': (token) => token.repeat(1000),
    'that is no text': () => 7,
    'that is a challenge': (_token, { bench }) => challengeOf(bench.tryPassword()),
    'by which devices are recognized': async (_token, { finish }) => signedIn(await finish('totp', false)).deviceToken,
  }

  test.each(Object.entries(forged))('a token %s', async (_what, forge) => {
    const scene = await createScene()
    const token = await scene.remember()
    const shown = (await forge(token, scene)) as string
    expect(await scene.show(shown)).toMatchObject(asked)
    expect(await scene.show(token)).toMatchObject({ status: 'signed-in' })
  })

  test('a token of another account', async () => {
    const scene = await createScene()
    const token = await scene.remember()
    const other = await scene.bench.insert({ email: 'other@example.com' })
    await scene.bench.enrollTotp(other)
    // Both accounts may have the same epoch.
    const { epoch } = (await scene.bench.store.get(scene.account.id)) ?? other
    await scene.bench.store.replace(other.id, {}, { epoch })
    expect(await scene.show(token, { email: other.email })).toMatchObject(asked)
    expect(await scene.show(token)).toMatchObject({ status: 'signed-in' })
  })

  const changes: Readonly<Record<string, (scene: Awaited<ReturnType<typeof createScene>>) => Promise<unknown>>> = {
    'the password was changed': ({ bench, identity }) =>
      bench.accounts.changePassword({ identity, currentPassword: password, newPassword: password }),
    'the password was reset': async ({ bench }) => {
      await bench.accounts.requestPasswordReset({ email })
      return bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword: password })
    },
    'the app was removed': ({ bench, identity, codes }) =>
      bench.accounts.disableTotp({ identity, code: codes[1] ?? '' }),
    'a passkey was added': ({ bench, identity }) => bench.addPasskey({ identity } as never),
    'the app was replaced': async ({ bench, identity }) => {
      const begun = await bench.accounts.startTotpEnrollment({ identity })
      return bench.accounts.confirmTotpEnrollment({ identity, code: bench.codeOf(begun.ok ? begun.secret : '') })
    },
    'the recovery codes were replaced': ({ bench, identity, secret }) => {
      bench.advance(30)
      return bench.accounts.regenerateRecoveryCodes({ identity, code: bench.codeOf(secret) })
    },
    'all other sessions were ended': ({ bench, identity }) => bench.accounts.revokeAllSessions({ identity }),
    'everything was signed out': ({ bench, identity }) =>
      bench.accounts.revokeAllSessions({ identity, exceptCurrent: false }),
    'an administrator disabled and enabled the account': async ({ bench, account: { id } }) => {
      await bench.accounts.disable({ id })
      return bench.accounts.enable({ id })
    },
    'an administrator changed the roles': ({ bench, account: { id } }) =>
      bench.accounts.setRoles({ id, roles: ['EDITOR'] }),
    'an administrator reset the factors, and there is a new one': async ({ bench, account }) => {
      await bench.accounts.resetFactors({ id: account.id })
      return bench.enrollTotp(account)
    },
  }

  test.each(Object.entries(changes))('once %s', async (_what, change) => {
    const scene = await createScene()
    const token = await scene.remember()
    const before = (await scene.bench.store.get(scene.account.id))?.epoch ?? 0
    expect(await change(scene)).toBeTruthy()
    expect((await scene.bench.store.get(scene.account.id))?.epoch).toBeGreaterThan(before)
    expect(await scene.show(token)).toMatchObject(asked)
  })

  test('a device that has signed out is no longer remembered', async () => {
    const scene = await createScene()
    const token = await scene.remember()
    const { identity } = signedIn(await scene.show(token))
    await scene.bench.accounts.signOut({ identity })
    expect(await scene.show(token)).toMatchObject({ status: 'signed-in' })
  })
})

test('a passkey without user verification is not completed by a remembered device', async () => {
  const scene = await createScene({ userVerification: 'preferred' })
  const { bench } = scene
  const trustedDeviceToken = await scene.remember()
  const start = await bench.accounts.startPasskeySignIn({})
  const response = await bench.authenticator.get((start.ok && start.options) as never, { userVerified: false })
  // Whatever a caller passes beside the input.
  const input = { ...session, response, trustedDeviceToken }
  expect(await bench.accounts.finishPasskeySignIn(input)).not.toMatchObject({ status: 'signed-in' })
})

describe('a device is not remembered', () => {
  test('without being asked to', async () => {
    const scene = await createScene()
    for (const wanted of [undefined, false, 1 as never, 'true' as never]) {
      expect(signedIn(await scene.finish('totp', wanted)).trustedDeviceToken).toBeNull()
    }
    expect(scene.bench.events.map(({ type }) => type)).not.toContain('device.remembered')
  })

  test('by a recovery code', async () => {
    const scene = await createScene()
    expect(signedIn(await scene.finish('recovery-code', true)).trustedDeviceToken).toBeNull()
    expect(scene.bench.events.map(({ type }) => type)).not.toContain('device.remembered')
  })

  test('by a sign-in with a passkey alone, which presents no password', async () => {
    const scene = await createScene()
    const response = await scene.bench.showPasskey()
    const result = await scene.bench.accounts.finishPasskeySignIn({ ...session, response, trustDevice: true })
    expect(signedIn(result).trustedDeviceToken).toBeNull()
  })

  test('by a wrong code', async () => {
    const scene = await createScene()
    const challenge = await challengeOf(scene.bench.tryPassword())
    const wrong = { ...session, challenge, code: '000000', trustDevice: true }
    expect(await scene.bench.accounts.verifySecondFactor(wrong)).toEqual(invalidCredentials)
    expect(scene.bench.events.map(({ type }) => type)).not.toContain('device.remembered')
  })

  test('by a step-up', async () => {
    const scene = await createScene()
    const { bench, identity, secret } = scene
    const { challenge } = await bench.accounts.startStepUp({ identity, kinds: ['totp'] })
    const input = { ...session, challenge: challenge ?? '', code: bench.codeOf(secret), identity, trustDevice: true }
    expect(signedIn(await bench.accounts.verifySecondFactor(input)).trustedDeviceToken).toBeNull()
  })

  test('by a service without the option trustedDevices', async () => {
    const scene = await createScene({ options: { signIn: { trustedDevices: undefined } } as never })
    expect(signedIn(await scene.finish('totp', true)).trustedDeviceToken).toBeNull()
    expect(await scene.show(`device_${'A'.repeat(22)}.${'A'.repeat(43)}`)).toMatchObject(asked)
  })
})

test('the store has a digest of the secret, and no text that signs in', async () => {
  const scene = await createScene()
  const token = await scene.remember()
  const [key = '', secret = ''] = token.split('.')
  const record = await scene.bench.records.get(key)
  expect(record).toMatchObject({ owner: null, expiresAt: scene.bench.now() + 30 * dayInSeconds * 1000 })
  expect(record?.value).not.toContain(secret)
  expect(JSON.stringify(scene.bench.events)).not.toContain(secret)
})

describe('the stored record of a remembered device', () => {
  /** A device that is remembered, and what its record is made to say. */
  async function createDamaged(change: object) {
    const scene = await createScene()
    const token = await scene.remember()
    const record = await scene.bench.records.get(token.slice(0, token.indexOf('.')))
    if (!record) return fail('nothing is stored')
    await scene.bench.records.remove(record.key)
    const value = JSON.stringify({ ...JSON.parse(record.value), ...change })
    await scene.bench.records.insert({ ...record, value })
    return { scene, token }
  }

  test.each([{ secretHash: 7 }, { accountId: null }, { epoch: '0' }])(
    'is an outage once it is damaged: %j',
    async (change) => {
      const { scene, token } = await createDamaged(change)
      const before = await stateOf(scene)
      const refusal = { code: 'STORE_DATA_INVALID', message: expect.stringContaining('no remembered device: ') }
      await expect(scene.show(token)).rejects.toMatchObject(refusal)
      expect(await stateOf(scene)).toEqual(before)
    },
  )

  test('recognizes no device if its digest is malformed', async () => {
    const { scene, token } = await createDamaged({ secretHash: '*' })
    expect(await scene.show(token)).toMatchObject(asked)
  })

  test('is an outage if the store refuses it', async () => {
    const records = createMemoryRecordStore()
    const insert = async (record: NewRecord) => !record.key.startsWith('device_') && records.insert(record)
    const scene = await createScene({ options: { records: { ...records, insert } } })
    await expect(scene.finish('totp', true)).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  })
})

describe('the option signIn.trustedDevices', () => {
  test.each([1, 30, 365])('takes %i days', (days) => {
    expect(readTrustedDevices({ days })).toEqual({ days })
  })

  test.each([0, 366, 1.5, -1, '30', null, undefined, Number.NaN])('refuses %j as days', (days) => {
    expect(() => readTrustedDevices({ days: days as number })).toThrow(
      new TypeError('"signIn.trustedDevices.days" must be a whole number of days from 1 to 365'),
    )
  })

  test('takes no other name, and is refused without a second factor', () => {
    expect(() => readTrustedDevices({ days: 30, hours: 1 } as never)).toThrow(
      '"signIn.trustedDevices" has no option "hours"',
    )
    expect(() => createBench({ options: { signIn: { trustedDevices: { days: 30 } } } })).toThrow(
      new TypeError('"signIn.trustedDevices" needs "signIn.totp" or "signIn.passkeys"'),
    )
  })
})
