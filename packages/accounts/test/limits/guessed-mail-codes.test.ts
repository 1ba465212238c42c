import { createMemoryCounterStore, StoreError } from '@latchkey/store'
import { createFailureCounter } from '@latchkey/store/internal'
import { beforeEach, describe, expect, test } from 'vitest'
import { email, newPassword, password, presentedBy } from '../bench.ts'
import { askForCode, byCode, nextTo, showCode } from '../sign-in/mailed-codes.ts'
import { createLimitedBench, from, type LimitedBench, measured, outcomeOf, wrongPassword } from './limited-bench.ts'

const refused = ['invalid-credentials', 0] as const
const unknown = 'stranger@example.com'
let bench: LimitedBench
beforeEach(() => {
  bench = createLimitedBench({}, byCode)
})

/** Shows a wrong code, of a mail that has just been asked for. */
const guess = async (address: string, whose = email) => {
  const { challenge, code } = await askForCode(bench, { address: whose, attempt: from(address) })
  return showCode(bench, { email: whose, challenge, code: nextTo(code || '0'), attempt: from(address) })
}

describe.each([
  ['of an account', email],
  ['of an address that no account has', unknown],
])('codes of mails %s', (_whose, identifier) => {
  beforeEach(async () => {
    await bench.insert()
  })

  test('may be wrong five times within 15 minutes from one address, of however many mails', async () => {
    for (let guessed = 0; guessed < 5; guessed++)
      expect(await measured(() => guess('192.0.2.1', identifier))).toEqual(refused)
    expect(await outcomeOf(guess('192.0.2.1', identifier))).toBe('throttled by account for 900')
  })

  test('share these five with passwords', async () => {
    for (let guessed = 0; guessed < 3; guessed++) await guess('192.0.2.1', identifier)
    const attempt = from('192.0.2.1')
    const signIn = () =>
      bench.accounts.signIn({ email: identifier, password: wrongPassword, delivery: 'session', attempt })
    for (let guessed = 0; guessed < 2; guessed++) expect(await outcomeOf(signIn())).toBe('invalid-credentials')
    expect(await outcomeOf(signIn())).toBe('throttled by account for 900')
    expect(await outcomeOf(guess('192.0.2.1', identifier))).toBe('throttled by account for 900')
  })

  test('may be wrong 25 times from all addresses together', async () => {
    for (let guessed = 0; guessed < 25; guessed++)
      expect(await outcomeOf(guess(`192.0.2.${guessed}`, identifier))).toBe('invalid-credentials')
    expect(await outcomeOf(guess('192.0.2.99', identifier))).toBe('throttled by account-strangers for 900')
  })
})

describe('the durable count of an account', () => {
  test('counts wrong codes and wrong passwords together, and a hundred close both until a reset', async () => {
    const { id } = await bench.insert()
    for (let failed = 0; failed < 99; failed++) await createFailureCounter(bench.lockouts, 'password').add(id)
    const shown = await askForCode(bench)
    expect(await outcomeOf(showCode(bench, { ...shown, code: nextTo(shown.code) }))).toBe('invalid-credentials')
    expect(bench.typesOfEvents()).toContain('password.disabled')
    expect(await outcomeOf(showCode(bench, shown))).toBe('invalid-credentials')
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.failed', reason: 'password-disabled' })
    bench.advance(900)
    expect(await outcomeOf(bench.tryPassword())).toBe('invalid-credentials')
    expect(await bench.sessions.list(id)).toEqual([])
    await bench.accounts.requestPasswordReset({ email })
    await bench.accounts.resetPassword({ token: await bench.mailedToken(), newPassword })
    expect(await outcomeOf(showCode(bench, await askForCode(bench)))).toBe('signed-in')
  })

  test('the count of wrong codes restarts with a right code', async () => {
    const { id } = await bench.insert()
    for (let failed = 0; failed < 7; failed++) await createFailureCounter(bench.lockouts, 'password').add(id)
    expect(await outcomeOf(showCode(bench, await askForCode(bench)))).toBe('signed-in')
    expect(await createFailureCounter(bench.lockouts, 'password').read(id)).toBe(0)
  })

  test('a right code that came a moment too late is not counted', async () => {
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    const both = [showCode(bench, shown), showCode(bench, shown)].map(outcomeOf)
    expect((await Promise.all(both)).sort()).toEqual(['invalid-credentials', 'signed-in'])
    expect(await createFailureCounter(bench.lockouts, 'password').read(id)).toBe(0)
  })

  test('keeps what was guessed by a right code of an account that is closed', async () => {
    const { id } = await bench.insert()
    const shown = await askForCode(bench)
    await createFailureCounter(bench.lockouts, 'password').add(id)
    await bench.store.replace(id, {}, { status: 'locked' })
    expect(await outcomeOf(showCode(bench, shown))).toBe('invalid-credentials')
    expect(await createFailureCounter(bench.lockouts, 'password').read(id)).toBe(2)
  })
})

test('strangers who guess at codes do not keep the owner out of a device that the account knows', async () => {
  await bench.insert()
  const { deviceToken } = await bench.signIn({ password })
  for (let guessed = 0; guessed < 26; guessed++) await outcomeOf(guess(`192.0.2.${guessed}`))
  const attempt = presentedBy(deviceToken)
  const shown = await askForCode(bench, { attempt })
  expect(await outcomeOf(showCode(bench, { ...shown, attempt }))).toBe('signed-in')
})

test('counters that do not answer neither refuse nor accept, and the code is as it was', async () => {
  const counters = createMemoryCounterStore()
  let isDown = false
  const failing = {
    ...counters,
    hit: async (...given: Parameters<typeof counters.hit>) => {
      if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
      return counters.hit(...given)
    },
  }
  bench = createLimitedBench({}, { ...byCode, counters: failing })
  const { id } = await bench.insert()
  const shown = await askForCode(bench)
  isDown = true
  await expect(showCode(bench, shown)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect([await bench.sessions.list(id), await createFailureCounter(bench.lockouts, 'password').read(id)]).toEqual([
    [],
    0,
  ])
  isDown = false
  expect(await outcomeOf(showCode(bench, shown))).toBe('signed-in')
})
