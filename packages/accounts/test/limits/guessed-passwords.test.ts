import { beforeEach, describe, expect, test } from 'vitest'
import { email, newPassword, password, presentedBy } from '../bench.ts'
import { createLimitedBench, from, type LimitedBench, measured, outcomeOf, wrongPassword } from './limited-bench.ts'

const refused = ['invalid-credentials', 1] as const
let bench: LimitedBench
beforeEach(() => {
  bench = createLimitedBench()
})

/** Signs in with a wrong password unless another one is given. */
const guess = (address: string, change: { readonly email?: string; readonly password?: string } = {}) =>
  bench.accounts.signIn({ email, password: wrongPassword, delivery: 'session', attempt: from(address), ...change })
async function guessOften(times: number, address: string, change?: { readonly email?: string }): Promise<void> {
  for (let guessed = 0; guessed < times; guessed++)
    expect(await measured(() => guess(address, change))).toEqual(refused)
}

describe.each([
  ['of an account', email],
  ['of an address that no account has', 'stranger@example.com'],
])('the password %s', (_whose, identifier) => {
  beforeEach(async () => {
    await bench.insert()
  })

  test('may be wrong five times within 15 minutes from one address, and then no hash is computed', async () => {
    await guessOften(5, '192.0.2.1', { email: identifier })
    bench.advance(300)
    expect(await measured(() => guess('192.0.2.1', { email: identifier }))).toEqual(['throttled by account for 600', 0])
    bench.advance(599)
    expect(await measured(() => guess('192.0.2.1', { email: identifier }))).toEqual(['throttled by account for 1', 0])
    bench.advance(1)
    expect(await measured(() => guess('192.0.2.1', { email: identifier }))).toEqual(refused)
  })

  test('may be wrong 25 times from all addresses together', async () => {
    for (let address = 1; address <= 5; address++) await guessOften(5, `192.0.2.${address}`, { email: identifier })
    const next = () => guess('192.0.2.9', { email: identifier })
    expect(await measured(next)).toEqual(['throttled by account-strangers for 900', 0])
  })

  test.each([
    [' before and after', (text: string) => ` ${text} `],
    ['a space that does not break', (text: string) => `\u00a0${text}`],
    ['upper case', (text: string) => text.toUpperCase()],
    ['letters of full width', (text: string) => text.replace('example', 'ｅｘａｍｐｌｅ')],
  ])('is counted in the same way for every spelling of the address: %s', async (_how, write) => {
    await guessOften(5, '192.0.2.1', { email: write(identifier) })
    const next = () => guess('192.0.2.1', { email: identifier })
    expect(await measured(next)).toEqual(['throttled by account for 900', 0])
  })

  test('is throttled twice as long after a second full window, and an hour after a third', async () => {
    for (const seconds of [900, 1800, 3600, 3600]) {
      await guessOften(5, '192.0.2.1', { email: identifier })
      expect(await outcomeOf(guess('192.0.2.1', { email: identifier }))).toBe(`throttled by account for ${seconds}`)
      bench.advance(seconds)
    }
  })
})

test('an identifier that is no address allows five wrong passwords, counted by its text', async () => {
  await guessOften(5, '192.0.2.1', { email: 'no address' })
  expect(await measured(() => guess('192.0.2.1', { email: 'no address' }))).toEqual(['throttled by account for 900', 0])
  expect(await measured(() => guess('192.0.2.1', { email: 'another one' }))).toEqual(refused)
})

test('a throttled right password is refused, and signs in at the stated time', async () => {
  await bench.insert()
  await guessOften(5, '192.0.2.1')
  expect(await measured(() => guess('192.0.2.1', { password }))).toEqual(['throttled by account for 900', 0])
  bench.advance(900)
  expect(await measured(() => guess('192.0.2.1', { password }))).toEqual(['signed-in', 1])
})

test('a right password does not count, and clears no earlier failure', async () => {
  await bench.insert()
  await guessOften(4, '192.0.2.1')
  for (let signedIn = 0; signedIn < 8; signedIn++)
    expect(await outcomeOf(guess('192.0.2.1', { password }))).toBe('signed-in')
  await guessOften(1, '192.0.2.1')
  expect(await outcomeOf(guess('192.0.2.1', { password }))).toBe('throttled by account for 900')
})

test('thirty passwords of any accounts may be wrong within a minute from one address', async () => {
  await bench.insert()
  for (let account = 0; account < 30; account++)
    await guessOften(1, '192.0.2.1', { email: `ada${account}@example.com` })
  expect(await measured(() => guess('192.0.2.1', { password }))).toEqual(['throttled by address for 60', 0])
  expect(await outcomeOf(guess('192.0.2.2', { password }))).toBe('signed-in')
  bench.advance(60)
  expect(await outcomeOf(guess('192.0.2.1', { password }))).toBe('signed-in')
})

test('attempts from unknown addresses count as attempts from one address', async () => {
  await bench.insert()
  for (let guessed = 0; guessed < 5; guessed++) {
    await bench.accounts.signIn({ email, password: wrongPassword, delivery: 'session', attempt: from(null) })
  }
  const next = bench.accounts.signIn({ email, password, delivery: 'session', attempt: from(null) })
  expect(await outcomeOf(next)).toBe('throttled by account for 900')
})

test('a known device signs in despite attempts of strangers, and has five attempts itself', async () => {
  await bench.insert()
  const { deviceToken } = await bench.signIn()
  for (let address = 1; address <= 5; address++) await guessOften(5, `192.0.2.${address}`)
  for (let account = 0; account < 5; account++) await guessOften(1, '192.0.2.1', { email: `ada${account}@example.com` })
  const known = { ...presentedBy(deviceToken), address: '192.0.2.1' }
  const tryKnown = (shown: string) =>
    measured(() => bench.accounts.signIn({ email, password: shown, delivery: 'session', attempt: known }))
  expect(await tryKnown(password)).toEqual(['signed-in', 1])
  for (let guessed = 0; guessed < 5; guessed++) expect(await tryKnown(wrongPassword)).toEqual(refused)
  expect(await tryKnown(password)).toEqual(['throttled by known-device for 900', 0])
})

test('a device of another account is a stranger', async () => {
  await bench.insert()
  await bench.insert({ email: 'other@example.com' })
  const { deviceToken } = await bench.signIn({ email: 'other@example.com' })
  const stolen = { ...presentedBy(deviceToken), address: '192.0.2.1' }
  await guessOften(5, '192.0.2.1')
  const next = bench.accounts.signIn({ email, password, delivery: 'session', attempt: stolen })
  expect(await outcomeOf(next)).toBe('throttled by account for 900')
})

test('1 000 parallel wrong passwords lead to five tests', async () => {
  await bench.insert()
  const calls = Array.from({ length: 1000 }, () => outcomeOf(guess('192.0.2.1')))
  const [outcome, hashes] = await measured(async () => {
    const outcomes = await Promise.all(calls)
    return { ok: true, status: `${outcomes.filter((one) => one === 'invalid-credentials').length} refused` }
  })
  expect([outcome, hashes <= 5]).toEqual(['5 refused', true])
})

describe('confirming and changing the password', () => {
  const confirm = (identity: object, currentPassword = wrongPassword) =>
    bench.accounts.confirmPassword({ identity: identity as never, currentPassword, attempt: from('192.0.2.1') })
  const change = (identity: object, currentPassword = wrongPassword, next = newPassword) =>
    bench.accounts.changePassword({
      identity: identity as never,
      currentPassword,
      newPassword: next,
      attempt: from('192.0.2.1'),
    })

  test('wrong passwords count with the sign-ins of the account: the sixth is throttled before any hash', async () => {
    await bench.insert()
    const { identity } = await bench.signIn()
    await guessOften(2, '192.0.2.1')
    expect(await outcomeOf(confirm(identity))).toBe('invalid-credentials')
    expect(await outcomeOf(confirm(identity))).toBe('invalid-credentials')
    expect(await outcomeOf(change(identity))).toBe('invalid-credentials')
    for (const call of [
      () => confirm(identity, password),
      () => change(identity, password),
      () => guess('192.0.2.1'),
    ]) {
      expect(await measured(call)).toEqual(['throttled by account for 900', 0])
    }
  })

  test('a new password that is refused counts nowhere', async () => {
    await bench.insert()
    const { identity } = await bench.signIn()
    for (let tried = 0; tried < 8; tried++) {
      await expect(change(identity, password, 'short')).rejects.toMatchObject({ code: 'PASSWORD_REJECTED' })
    }
    expect(await outcomeOf(change(identity, password))).toBe('accepted')
  })
})

test('an overloaded hasher tests no password, so the attempt does not count', async () => {
  const overloaded = Object.assign(new Error('full'), { code: 'PASSWORD_HASHER_UNAVAILABLE' })
  const failing = { verify: async () => Promise.reject(overloaded) }
  bench = createLimitedBench({}, { passwordHasher: failing as never })
  await bench.insert()
  for (let tried = 0; tried < 8; tried++) await expect(guess('192.0.2.1')).rejects.toBe(overloaded)
})

test('a throttled attempt emits an event with the name of the limit and without the password', async () => {
  const { id } = await bench.insert()
  await guessOften(5, '192.0.2.1')
  await outcomeOf(guess('192.0.2.1'))
  expect(bench.events.at(-1)).toMatchObject({
    type: 'sign-in.throttled',
    limit: 'account',
    accountId: id,
    address: '192.0.2.1',
    channel: 'native',
  })
  expect(JSON.stringify(bench.events)).not.toContain(wrongPassword)
})

test('many failures within a minute emit one event and refuse no attempt', async () => {
  bench = createLimitedBench({ alarmAt: 10, perAddress: 100 })
  await bench.insert()
  for (let guessed = 0; guessed < 25; guessed++)
    await guessOften(1, '192.0.2.1', { email: `ada${guessed}@example.com` })
  const alarms = () => bench.events.filter(({ type }) => type === 'guessing.suspected')
  expect(alarms()).toMatchObject([{ failures: 10, seconds: 60 }])
  expect(await outcomeOf(guess('192.0.2.1', { password }))).toBe('signed-in')
  bench.advance(60)
  for (let guessed = 0; guessed < 10; guessed++)
    await guessOften(1, '192.0.2.1', { email: `bob${guessed}@example.com` })
  expect(alarms()).toHaveLength(2)
})
