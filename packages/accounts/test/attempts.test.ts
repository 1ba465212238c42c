import { type Accounts, type Attempt, createKnownDevices, unknownAttempt } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, newPassword, password } from './bench.ts'

const wrong = 'otters sing loudly at noon'
const origin = { address: '203.0.113.9', channel: 'page', requestId: 'r-1' } as const

/** Every use case that tests a secret of an account that is known then, with one that is refused. */
const refusedOnAccounts: Readonly<Record<string, (bench: Bench, attempt: Attempt) => Promise<unknown>>> = {
  signIn: ({ accounts }, attempt) => accounts.signIn({ email, password: wrong, delivery: 'session', attempt }),
  async confirmPassword(bench, attempt) {
    const { identity } = await bench.signIn()
    return bench.accounts.confirmPassword({ identity, currentPassword: wrong, attempt })
  },
  async changePassword(bench, attempt) {
    const { identity } = await bench.signIn()
    return bench.accounts.changePassword({ identity, currentPassword: wrong, newPassword, attempt })
  },
  async refresh(bench, attempt) {
    const { account, credentials } = await bench.signIn({ delivery: 'token' })
    const token = 'refreshToken' in credentials ? credentials.refreshToken : null
    await bench.store.replace(account.id, { epoch: 0 }, { epoch: 1 })
    return bench.accounts.refresh({ token, channel: 'cookie', attempt })
  },
  async resetPassword(bench, attempt) {
    await bench.accounts.requestPasswordReset({ email })
    const token = await bench.mailedToken()
    const { account } = await bench.signIn()
    await bench.store.replace(account.id, { epoch: 0 }, { epoch: 1 })
    return bench.accounts.resetPassword({ token, newPassword, attempt })
  },
  async verifyEmail(bench, attempt) {
    const id = (await bench.accounts.findByEmail(email))?.id ?? ''
    await bench.store.replace(id, {}, { email: 'elsewhere@example.com' })
    await bench.accounts.signUp({ email, password, name: 'A Reader' })
    const token = await bench.mailedToken()
    await bench.store.replace(id, {}, { email })
    return bench.accounts.verifyEmail({ token, attempt })
  },
}

/** Those that test what belongs to no account. */
const refusedWithoutAccount: Readonly<Record<string, (accounts: Bench['accounts'], attempt: Attempt) => unknown>> = {
  signIn: (accounts, attempt) =>
    accounts.signIn({ email: 'nobody@example.com', password, delivery: 'session', attempt }),
  refresh: (accounts, attempt) => accounts.refresh({ token: 'x', channel: 'cookie', attempt }),
  verifyEmail: (accounts, attempt) => accounts.verifyEmail({ token: 'x', attempt }),
  resetPassword: (accounts, attempt) => accounts.resetPassword({ token: 'x', newPassword, attempt }),
  'checkLink of a sign-up': (accounts, attempt) => accounts.checkLink({ purpose: 'verify-email', token: 'x', attempt }),
  'checkLink of a reset': (accounts, attempt) => accounts.checkLink({ purpose: 'reset-password', token: 'x', attempt }),
}

async function createShownBench() {
  const bench = createBench()
  await bench.insert()
  await bench.insert({ email: 'other@example.com' })
  const { deviceToken: known } = await bench.signIn()
  const { deviceToken: ofAnother } = await bench.signIn({ email: 'other@example.com' })
  return {
    bench,
    shown: {
      known,
      ofAnother,
      none: null,
      forged: known?.replace(/.{22}\..{22}$/, `${'A'.repeat(22)}.${'A'.repeat(22)}`) ?? '',
    },
  }
}

/** Where the refusals of the events came from. */
function attemptsOf({ events }: Bench) {
  return events
    .filter(({ type }) => /(failed|refused|reused)$/.test(type))
    .map(({ address, device, channel, requestId }) => ({ address, device, channel, requestId }))
}

describe.each(Object.entries(refusedOnAccounts))('a refused attempt of %s', (_name, refuse) => {
  test.each([
    ['names the device that the account knows', 'known', expect.stringMatching(/^dev_[\w-]{16}$/)],
    ['names no device that another account knows', 'ofAnother', null],
    ['names no device that shows none', 'none', null],
    ['names no device that shows a forged token', 'forged', null],
  ] as const)('%s', async (_title, which, device) => {
    const { bench, shown } = await createShownBench()
    expect(await refuse(bench, { ...origin, deviceToken: shown[which] })).toMatchObject({ ok: false })
    expect(attemptsOf(bench)).toEqual([{ ...origin, device }])
  })
})

test.each(Object.entries(refusedWithoutAccount))(
  'an attempt of %s on no account names no device',
  async (_name, refuse) => {
    const { bench, shown } = await createShownBench()
    expect(await refuse(bench.accounts, { ...origin, deviceToken: shown.known })).toMatchObject({ ok: false })
    expect(attemptsOf(bench)).toEqual([{ ...origin, device: null }])
  },
)

test('only events of an impersonated attempt name the administrator', async () => {
  const bench = createBench()
  await bench.insert()
  const refused = { email, password: wrong, delivery: 'session' } as const
  await bench.accounts.signIn({ ...refused, attempt: { ...unknownAttempt, impersonatorId: 'acc_admin' } })
  await bench.accounts.signIn(refused)
  const [acting, own] = bench.events
  expect(acting).toMatchObject({ type: 'sign-in.failed', impersonatorId: 'acc_admin' })
  expect(own).toMatchObject({ type: 'sign-in.failed' })
  expect(own).not.toHaveProperty('impersonatorId')
})

test('a device keeps its id over sign-ins and changes of the password, and has a different id for each account', () => {
  const tokens = createKnownDevices({ secrets: [{ id: 'a', bytes: randomBytes(32) }] })
  const one = { id: 'acc_1', epoch: 0, passwordHash: 'one' }
  const changed = { id: 'acc_1', epoch: 1, passwordHash: 'two' }
  const other = { id: 'acc_2', epoch: 0, passwordHash: 'one' }
  const first = tokens.issue(one)
  const both = tokens.issue(other, first)
  const later = tokens.issue(changed, both, one)
  const id = tokens.recognize(first, one)
  expect(id).toMatch(/^dev_/)
  expect([tokens.recognize(tokens.issue(one, both), one), tokens.recognize(later, changed)]).toEqual([id, id])
  expect(tokens.recognize(later, one)).toBeNull()
  expect(tokens.recognize(later, other)).toBe(tokens.recognize(both, other))
  expect(tokens.recognize(both, other)).not.toBe(id)
  expect(tokens.recognize(tokens.issue(one), one)).not.toBe(id)
  expect(first).not.toContain(id?.slice(4))
})

test('without device tokens no device is known', async () => {
  const bench = createBench({ options: { signIn: { knownDevices: undefined as never } } })
  await bench.insert()
  const attempt = { ...origin, deviceToken: 'anything' }
  await bench.accounts.signIn({ email, password: wrong, delivery: 'session', attempt })
  expect(attemptsOf(bench)).toEqual([{ ...origin, device: null }])
})

describe('while accounts cannot be read', () => {
  const down = () => {
    const state = { isDown: false }
    const aroundAccounts = (_method: unknown, run: () => Promise<unknown>) =>
      state.isDown ? Promise.reject(new Error('down')) : run()
    return { state, aroundAccounts }
  }

  test.each([
    ['shows no device', {}, null],
    ['shows one where none is recognized', { signIn: { knownDevices: undefined as never } }, 'anything'],
  ])('a session is revoked for a user who %s', async (_who, options, deviceToken) => {
    const { state, aroundAccounts } = down()
    const bench = createBench({ aroundAccounts, options })
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    state.isDown = true
    const attempt = { ...origin, deviceToken }
    expect(await bench.accounts.revokeSession({ subject: id, key: identity.key, attempt })).toBe(true)
    expect(bench.events.at(-1)).toMatchObject({ type: 'session.ended', ...origin, device: null })
  })

  test('a reused token is refused from no known device while accounts cannot be read', async () => {
    const { state, aroundAccounts } = down()
    const bench = createBench({ aroundAccounts })
    await bench.insert()
    const { credentials, deviceToken } = await bench.signIn({ delivery: 'token' })
    const token = credentials.delivery === 'session' ? '' : credentials.refreshToken
    expect(await bench.accounts.refresh({ token, channel: 'cookie' })).toMatchObject({ ok: true })
    bench.advance(3600)
    state.isDown = true
    const attempt = { ...origin, deviceToken }
    expect(await bench.accounts.refresh({ token, channel: 'cookie', attempt })).toMatchObject({ ok: false })
    expect(attemptsOf(bench)).toEqual([{ ...origin, device: null }])
  })
})

test('events copy only the known members of an attempt', async () => {
  const bench = createBench()
  const attempt = { ...origin, deviceToken: null, password, token: 'x' }
  await bench.accounts.verifyEmail({ token: 'x', attempt })
  expect(attemptsOf(bench)).toEqual([{ ...origin, device: null }])
})

test('the unknown attempt has no origin and is frozen', () => {
  expect(unknownAttempt).toEqual({ address: null, deviceToken: null, channel: 'native', requestId: null })
  expect(Object.isFrozen(unknownAttempt)).toBe(true)
})

/** Every use case that demands an attempt; the compiler does too. */
const demanding = [
  'signUp',
  'verifyEmail',
  'signIn',
  'refresh',
  'signOut',
  'confirmPassword',
  'changePassword',
  'requestPasswordReset',
  'resetPassword',
  'checkLink',
  'revokeSession',
  'revokeAllSessions',
  'create',
  'setRoles',
  'disable',
  'enable',
] as const satisfies readonly (keyof Accounts)[]

test.each(demanding)('%s without an attempt rejects and leaves the stores unchanged', async (name) => {
  const touched: string[] = []
  const around = (call: string, run: () => Promise<unknown>) => {
    touched.push(call)
    return run()
  }
  const bench = createBench({ aroundAccounts: around as never, aroundRecords: around as never })
  const input = { email, password, id: 'acc_1', token: 'x' }
  const useCase = bench.unnamed[name] as (given: object) => Promise<unknown>
  await expect(useCase(input)).rejects.toThrow(
    new TypeError('"attempt" is required: what the request shows, or unknownAttempt'),
  )
  await expect(useCase({ ...input, attempt: null })).rejects.toThrow(TypeError)
  expect([touched, bench.events]).toEqual([[], []])
})
