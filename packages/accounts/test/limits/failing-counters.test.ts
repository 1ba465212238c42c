import { setImmediate } from 'node:timers/promises'
import { type CounterStore, createMemoryCounterStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type BenchOptions, email, password } from '../bench.ts'
import { challengeOf } from '../factors/factors-bench.ts'
import { createLimitedBench, from, type LimitedBench, outcomeOf, wrongPassword } from './limited-bench.ts'

const attempt = from('192.0.2.7')

/**
 * A bench whose counters fail while nothing is taken: when a place is given back, or a failure counted. A place is given
 * back a turn of the event loop after the call.
 */
function createFailing(options: BenchOptions['options'] = {}) {
  const state = { fails: (_key: string, _by: number): boolean => false }
  let clock = (): number => 0
  const memory = createMemoryCounterStore({ now: () => clock() })
  const counters: CounterStore = {
    ...memory,
    async hit(key, windowMs, by = 1) {
      if (state.fails(key, by)) throw new StoreError('STORE_UNAVAILABLE', 'down')
      if (by < 0) await setImmediate()
      return memory.hit(key, windowMs, by)
    },
  }
  const bench = createLimitedBench({ counters, passwordFailures: 3 }, options)
  clock = bench.now
  return { bench, state }
}

const givesBack = (_key: string, by: number): boolean => by < 0

const cleanUps = ({ events }: LimitedBench) => events.filter(({ type }) => type === 'clean-up.failed')

describe('counters that fail after an accepted code do not reject it, and an event reports the remaining count:', () => {
  const failed = { address: '192.0.2.7', failure: 'STORE_UNAVAILABLE' }

  test('a confirmed app returns its recovery codes, and its owner gets a mail', async () => {
    const { bench, state } = createFailing()
    const { id: accountId } = await bench.insert()
    const { identity } = await bench.signIn()
    const begun = await bench.accounts.startTotpEnrollment({ identity, attempt })
    const code = bench.codeOf(begun.ok ? begun.secret : '')
    state.fails = givesBack
    const confirmed = await bench.accounts.confirmTotpEnrollment({ identity, code, attempt })
    expect(confirmed).toMatchObject({ ok: true, codes: expect.any(Array) })
    await bench.accounts.settled()
    expect(bench.outbox.map(({ to }) => to)).toEqual([email])
    expect(cleanUps(bench)).toMatchObject([{ ...failed, accountId }])
  })

  test('a spent recovery code signs in, and its owner gets a mail', async () => {
    const { bench, state } = createFailing()
    const account = await bench.insert()
    const { codes } = await bench.enrollTotp(account)
    const challenge = await challengeOf(bench.accounts.signIn({ email, password, delivery: 'session', attempt }))
    state.fails = givesBack
    const [code = ''] = codes
    const answered = bench.accounts.verifySecondFactor({ challenge, code, delivery: 'session', attempt })
    expect(await outcomeOf(answered)).toBe('signed-in')
    expect(bench.typesOfEvents()).toContain('recovery-code.used')
    expect(cleanUps(bench)).toMatchObject([{ ...failed, accountId: account.id }])
  })
})

describe('a failure is reported after the place is given back, so that the next attempt of the caller finds it:', () => {
  test('ten sign-ins beside an overloaded hasher', async () => {
    const overloaded = Object.assign(new Error('full'), { code: 'PASSWORD_HASHER_UNAVAILABLE' })
    const passwordHasher = { verify: async () => Promise.reject(overloaded) }
    const { bench } = createFailing({ passwordHasher: passwordHasher as never })
    await bench.insert()
    for (let tried = 0; tried < 10; tried++) {
      await expect(bench.accounts.signIn({ email, password, delivery: 'session', attempt })).rejects.toBe(overloaded)
    }
  })

  test('ten new passwords that are refused', async () => {
    const { bench } = createFailing()
    await bench.insert()
    const { identity } = await bench.signIn()
    const change = { identity, currentPassword: password, newPassword: 'short', attempt }
    for (let tried = 0; tried < 10; tried++)
      await expect(bench.accounts.changePassword(change)).rejects.toMatchObject({ code: 'PASSWORD_REJECTED' })
  })
})

test('the owner gets a mail about the disabled password even if the counters fail', async () => {
  const { bench, state } = createFailing()
  await bench.insert()
  const guess = () => bench.accounts.signIn({ email, password: wrongPassword, delivery: 'session', attempt })
  for (let failed = 0; failed < 2; failed++) expect(await outcomeOf(guess())).toBe('invalid-credentials')
  state.fails = (key) => key.includes(':failed')
  await expect(guess()).rejects.toThrow('down')
  await bench.accounts.settled()
  expect(bench.typesOfEvents()).toContain('password.disabled')
  expect(bench.outbox.map(({ to }) => to)).toEqual([email])
})
