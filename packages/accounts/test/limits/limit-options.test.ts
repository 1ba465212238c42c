import { allowUnlimitedAttempts, createAttemptLimits } from '@latchkey/accounts'
import { createMemoryCounterStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, email, password } from '../bench.ts'
import { challengeOf } from '../factors/factors-bench.ts'
import { createLimitedBench, from, outcomeOf, wrongPassword } from './limited-bench.ts'

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(5) }] as const
const counters = createMemoryCounterStore()
const valid = { counters, lockouts: createMemoryCounterStore(), secrets }
const forgetful = { ...counters, capabilities: { ...counters.capabilities, durable: false } }
const eventual = { ...counters, capabilities: { ...counters.capabilities, consistency: 'eventual' } }

describe('createAttemptLimits throws:', () => {
  test.each([
    ['createAttemptLimits has no option "perAcount". Did you mean "perAccount"?', { perAcount: 5 }],
    ['"counters" must be a CounterStore', { counters: undefined }],
    ['"counters" must be strong', { counters: eventual }],
    ['"lockouts" must be a CounterStore', { lockouts: {} }],
    ['"lockouts" must be durable', { lockouts: forgetful }],
    ['"counters" must be durable', { lockouts: undefined, counters: forgetful }],
    ['"lockouts" must be strong', { lockouts: eventual }],
    ['"secrets" must be a list of at least one secret', { secrets: [] }],
    ['"perAddress" must be a whole number of at least 1', { perAddress: 0 }],
    ['"perAccount" must be a whole number of at least 1', { perAccount: 1.5 }],
    ['"perAccountOfStrangers" must be a whole number of at least 1', { perAccountOfStrangers: -1 }],
    ['"ceremoniesPerAddress" must be a whole number of at least 1', { ceremoniesPerAddress: '60' }],
    ['"passwordFailures" must be a whole number of at least 1', { passwordFailures: 0 }],
    ['"alarmAt" must be a whole number of at least 1', { alarmAt: Number.NaN }],
    ['"windowSeconds" must be a whole number of seconds', { windowSeconds: 0 }],
    ['"longestSeconds" must be a whole number of seconds from 900', { longestSeconds: 899 }],
  ])('%s', (message, wrong) => {
    const create = () => createAttemptLimits({ ...valid, ...wrong } as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

test.each([undefined, null, 'none', false, Symbol('allowUnlimitedAttempts'), {}])(
  'no accounts are created with %s in place of limits: they are given up by name only',
  (limits) => {
    const create = () => createBench({ options: { signIn: { attemptLimits: limits as never } } })
    expect(create).toThrow(
      new TypeError('"signIn.attemptLimits" must be createAttemptLimits(…), or allowUnlimitedAttempts'),
    )
  },
)

describe('a service with allowUnlimitedAttempts', () => {
  const unlimited = { signIn: { attemptLimits: allowUnlimitedAttempts } } as const
  const guess = { email, delivery: 'session', attempt: from('192.0.2.1') } as const

  test('every password is tested: a right one signs in after any number of wrong ones', async () => {
    const bench = createLimitedBench({}, unlimited)
    await bench.insert()
    for (let guessed = 0; guessed < 40; guessed++) {
      expect(await outcomeOf(bench.accounts.signIn({ ...guess, password: wrongPassword }))).toBe('invalid-credentials')
    }
    expect(await outcomeOf(bench.accounts.signIn({ ...guess, password }))).toBe('signed-in')
  })

  test('every code is tested, and ceremonies of passkeys begin without end', async () => {
    const bench = createLimitedBench({}, unlimited)
    const { secret } = await bench.enrollTotp(await bench.insert())
    const challenge = await challengeOf(bench.accounts.signIn({ ...guess, password }))
    const answer = (code: string) => outcomeOf(bench.accounts.verifySecondFactor({ ...guess, challenge, code }))
    for (let guessed = 0; guessed < 3; guessed++) expect(await answer('000000')).toBe('invalid-credentials')
    expect(await answer(bench.codeOf(secret, 1))).toBe('signed-in')
    for (let begun = 0; begun < 70; begun++) {
      expect(await outcomeOf(bench.accounts.startPasskeySignIn({ attempt: guess.attempt }))).toBe('accepted')
    }
  })

  test('refuses a sign-in with the error of an overloaded hasher', async () => {
    const overloaded = Object.assign(new Error('full'), { code: 'PASSWORD_HASHER_UNAVAILABLE' })
    const bench = createLimitedBench(
      {},
      { ...unlimited, passwordHasher: { verify: () => Promise.reject(overloaded) } as never },
    )
    await bench.insert()
    await expect(bench.accounts.signIn({ ...guess, password })).rejects.toBe(overloaded)
  })
})

test.each([
  ['perAddress', 2, 'address', 60],
  ['perAccount', 2, 'account', 900],
  ['perAccountOfStrangers', 2, 'account-strangers', 900],
] as const)('%s is the number that it names', async (option, limit, name, seconds) => {
  const bench = createLimitedBench({ perAddress: 50, perAccount: 50, perAccountOfStrangers: 50, [option]: limit })
  const guess = () =>
    bench.accounts.signIn({ email: 'a@example.com', password: 'x', delivery: 'session', attempt: from('192.0.2.1') })
  for (let guessed = 0; guessed < limit; guessed++) expect(await outcomeOf(guess())).toBe('invalid-credentials')
  expect(await outcomeOf(guess())).toBe(`throttled by ${name} for ${seconds}`)
})

test('windowSeconds and longestSeconds set the limits by account', async () => {
  const bench = createLimitedBench({ windowSeconds: 100, longestSeconds: 150, perAccount: 1 })
  const guess = () =>
    bench.accounts.signIn({ email: 'a@example.com', password: 'x', delivery: 'session', attempt: from('192.0.2.1') })
  for (const seconds of [100, 150, 150]) {
    expect(await outcomeOf(guess())).toBe('invalid-credentials')
    expect(await outcomeOf(guess())).toBe(`throttled by account for ${seconds}`)
    bench.advance(seconds)
  }
})
