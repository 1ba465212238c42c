import { createAttemptLimits, unknownAttempt } from '@latchkey/accounts'
import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { createFailureCounter } from '@latchkey/store/internal'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { email, newPassword, password, presentedBy } from '../bench.ts'
import { createLimitedBench, from, type LimitedBench, outcomeOf, wrongPassword } from './limited-bench.ts'

let bench: LimitedBench
beforeEach(async () => {
  bench = createLimitedBench({ passwordFailures: 10 })
})

let drawn = 0
/** From another address each time, in another window. */
const signIn = (shown: string, identifier = email) => {
  bench.advance(3600)
  const attempt = from(`192.0.2.${++drawn % 256}`)
  return outcomeOf(bench.accounts.signIn({ email: identifier, password: shown, delivery: 'session', attempt }))
}
async function failOften(times: number): Promise<void> {
  for (let failed = 0; failed < times; failed++) expect(await signIn(wrongPassword)).toBe('invalid-credentials')
}

describe('a password that was wrong ten times in a row', () => {
  beforeEach(async () => {
    await bench.insert()
    await failOften(10)
  })

  test('a disabled password is refused with the answer of a wrong password', async () => {
    expect(await signIn(password)).toBe('invalid-credentials')
    const failed = bench.events.filter(({ type }) => type === 'sign-in.failed')
    expect(failed.at(-1)).toMatchObject({ reason: 'password-disabled' })
    expect(failed.at(-2)).toMatchObject({ reason: 'wrong-password' })
  })

  test('a disabled password emits one event and sends one mail to the owner', async () => {
    await failOften(5)
    await bench.accounts.settled()
    expect(bench.events.filter(({ type }) => type === 'password.disabled')).toHaveLength(1)
    expect(bench.outbox.map(({ subject, to }) => [subject, to])).toEqual([['Your password was disabled', email]])
  })

  test('a disabled password is replaced by a reset', async () => {
    await bench.accounts.requestPasswordReset({ email })
    const token = await bench.mailedToken()
    expect(await outcomeOf(bench.accounts.resetPassword({ token, newPassword }))).toBe('password-set')
    expect(await signIn(newPassword)).toBe('signed-in')
  })

  test('a disabled password is refused by confirmPassword', async () => {
    const stored = await bench.store.getByEmail(email)
    const identity = { subject: stored?.id ?? '' }
    const attempt = unknownAttempt
    const confirmed = bench.accounts.confirmPassword({ identity, currentPassword: password, attempt })
    expect(await outcomeOf(confirmed)).toBe('invalid-credentials')
    const changed = bench.accounts.changePassword({ identity, currentPassword: password, newPassword, attempt })
    expect(await outcomeOf(changed)).toBe('invalid-credentials')
    expect((await bench.store.getByEmail(email))?.passwordHash).toBe(stored?.passwordHash)
  })
})

describe('strangers who guess as fast as the limits allow', () => {
  beforeEach(async () => {
    bench = createLimitedBench()
    await bench.insert()
  })
  const isDisabled = () => bench.typesOfEvents().includes('password.disabled')
  /** Guesses so often in each window, from as few addresses as may, until the password is disabled or the windows are over. */
  async function guessIn(windows: readonly number[], perWindow: number): Promise<void> {
    for (const seconds of [...windows, 0]) {
      for (let guessed = 0; guessed < perWindow && !isDisabled(); guessed++) {
        const attempt = from(`192.0.2.${guessed % Math.ceil(perWindow / 4)}`)
        const outcome = await outcomeOf(
          bench.accounts.signIn({ email, password: wrongPassword, delivery: 'session', attempt }),
        )
        expect(outcome).toBe('invalid-credentials')
      }
      bench.advance(seconds)
    }
  }

  test.each([
    ['an hour, where they leave each window a place', 24, [900, 900, 900, 900], 60],
    ['an hour and three quarters, where they fill each window', 25, [900, 1800, 3600], 105],
  ])('disable a password after %s', async (_when, perWindow, windows, minutes) => {
    const began = bench.now()
    await guessIn(windows, perWindow)
    expect([isDisabled(), bench.now() - began]).toEqual([true, minutes * 60_000])
  })

  test('disable it on known devices too, and open sessions stay open', async () => {
    const { deviceToken, credentials, identity } = await bench.signIn({ delivery: 'token' })
    await guessIn([900, 900, 900, 900], 24)
    const known = { email, password, delivery: 'session', attempt: presentedBy(deviceToken) } as const
    expect(await outcomeOf(bench.accounts.signIn(known))).toBe('invalid-credentials')
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'password-disabled' })
    if (credentials.delivery !== 'token') throw new Error('no tokens were issued')
    const refreshed = await bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie' })
    expect(refreshed).toMatchObject({ ok: true, account: { id: identity.subject } })
  })

  test('do not disable it if the owner signs in within that time: the count starts again', async () => {
    const { deviceToken } = await bench.signIn()
    const known = { email, password, delivery: 'session', attempt: presentedBy(deviceToken) } as const
    for (let round = 0; round < 3; round++) {
      await guessIn([900, 900, 900], 24)
      expect(await outcomeOf(bench.accounts.signIn(known))).toBe('signed-in')
      bench.advance(900)
    }
    expect(isDisabled()).toBe(false)
  })
})

test('wrong passwords of a known device and of strangers count together', async () => {
  const { id } = await bench.insert()
  const { deviceToken } = await bench.signIn()
  await failOften(8)
  const known = { email, password: wrongPassword, delivery: 'session', attempt: presentedBy(deviceToken) } as const
  for (let failed = 0; failed < 2; failed++) await bench.accounts.signIn(known)
  expect(await createFailureCounter(bench.lockouts, 'password').read(id)).toBe(10)
  expect(bench.typesOfEvents()).toContain('password.disabled')
  expect(await signIn(password)).toBe('invalid-credentials')
})

test('the mail to the owner of a disabled password that fails is an event', async () => {
  const mailer = { send: () => Promise.reject(new Error('550 no mailbox')) }
  bench = createLimitedBench({ passwordFailures: 2 }, { mails: { mailer } })
  const { id: accountId } = await bench.insert()
  await failOften(2)
  await bench.accounts.settled()
  const failed = { type: 'mail.failed', purpose: 'account-locked', accountId, failure: 'Error' }
  expect(bench.events.at(-1)).toMatchObject(failed)
})

test('a right password resets the count', async () => {
  await bench.insert()
  for (let round = 0; round < 3; round++) {
    await failOften(9)
    expect(await signIn(password)).toBe('signed-in')
  }
  expect(bench.typesOfEvents()).not.toContain('password.disabled')
})

test('wrong passwords are counted separately from other factors, and a right password clears an existing count', async () => {
  const { id } = await bench.insert()
  const reset = vi.fn(bench.lockouts.reset)
  const limited = createLimitedBench({ lockouts: { ...bench.lockouts, reset } })
  await limited.store.insert({
    ...(await accountLike(id)),
    passwordHash: (await bench.store.get(id))?.passwordHash ?? null,
  })
  bench = { ...limited, lockouts: bench.lockouts }
  expect(await signIn(password)).toBe('signed-in')
  expect(reset).not.toHaveBeenCalled()
  await failOften(2)
  expect(await createFailureCounter(bench.lockouts, 'password').read(id)).toBe(2)
  expect(await signIn(password)).toBe('signed-in')
  expect(reset.mock.calls).toEqual([[`failures:password:${id}`]])
})

test('a passkey signs in while the password is disabled', async () => {
  await bench.insert()
  await bench.addPasskey(await bench.signIn())
  await failOften(10)
  const response = await bench.showPasskey()
  const signedIn = bench.accounts.finishPasskeySignIn({ response, delivery: 'session' })
  expect(await outcomeOf(signedIn)).toBe('signed-in')
})

test.each(['disabled', 'locked', 'unverified'] as const)(
  'the right password of an account that is %s counts as a wrong one, which its answer is',
  async (status) => {
    await bench.insert({ status })
    for (let tried = 0; tried < 5; tried++) {
      const attempt = from('192.0.2.1')
      expect(await outcomeOf(bench.accounts.signIn({ email, password, delivery: 'session', attempt }))).toBe(
        'invalid-credentials',
      )
    }
    const next = bench.accounts.signIn({ email, password, delivery: 'session', attempt: from('192.0.2.1') })
    expect(await outcomeOf(next)).toBe('throttled by account for 900')
  },
)

test('an account and an address that none has are counted with the same work', async () => {
  const { id } = await bench.insert()
  const calls: string[] = []
  const hit: CounterStore['hit'] = async (key, _windowMs, by = 1) => {
    calls.push(`${by === 0 ? 'read' : 'add'} ${key.endsWith(id)}`)
    return { count: by, resetAt: Number.MAX_SAFE_INTEGER }
  }
  bench = createLimitedBench({ lockouts: { ...bench.lockouts, hit } })
  await bench.store.insert({ ...(await accountLike(id)), email })
  await signIn(wrongPassword)
  const known = calls.splice(0)
  await signIn(wrongPassword, 'stranger@example.com')
  expect([known, calls]).toEqual([
    ['read true', 'add true'],
    ['read false', 'add false'],
  ])
})

async function accountLike(id: string) {
  return {
    id,
    email,
    name: 'A Reader',
    roles: ['READER'],
    status: 'active',
    passwordHash: null,
    epoch: 0,
    keptKey: null,
    enrolled: [],
  } as const
}

test('addresses that no account has fill at most 256 rows', async () => {
  const rows = new Set<string>()
  const hit: CounterStore['hit'] = async (key, _windowMs, by = 1) => {
    if (by > 0) rows.add(key)
    return { count: rows.size, resetAt: Number.MAX_SAFE_INTEGER }
  }
  const passwords = { verify: async () => ({ ok: false, needsRehash: false }) }
  bench = createLimitedBench({ lockouts: { ...bench.lockouts, hit } }, { passwordHasher: passwords as never })
  for (let tried = 0; tried < 1500; tried++) await signIn(wrongPassword, `stranger-${tried}@example.com`)
  expect(rows.size).toBeGreaterThan(200)
  expect(rows.size).toBeLessThanOrEqual(256)
})

test('failures without an account disable no password', async () => {
  const secrets = [{ id: '2026-01', bytes: new Uint8Array(32) }] as const
  const parts = { counters: createMemoryCounterStore(), lockouts: createMemoryCounterStore(), secrets }
  const { passwords } = createAttemptLimits({ ...parts, passwordFailures: 1 })
  expect([await passwords.fail(null, email), await passwords.fail('acc_1', email)]).toEqual([false, true])
})
