import type { Attempt } from '@latchkey/accounts'
import { createFailureCounter } from '@latchkey/store/internal'
import { beforeEach, describe, expect, test } from 'vitest'
import { email, password, presentedBy } from '../bench.ts'
import { challengeOf } from '../factors/factors-bench.ts'
import { createLimitedBench, from, type LimitedBench, outcomeOf } from './limited-bench.ts'

let bench: LimitedBench
beforeEach(() => {
  bench = createLimitedBench()
})

const wrongCode = '000 000 0'

describe('codes', () => {
  const challenge = (deviceToken: string | null = null, address = '192.0.2.7') =>
    challengeOf(
      bench.accounts.signIn({
        email,
        password,
        delivery: 'session',
        attempt: { ...presentedBy(deviceToken), address },
      }),
    )
  const answer = (text: string, code: string, deviceToken: string | null = null) =>
    bench.accounts.verifySecondFactor({
      challenge: text,
      code,
      delivery: 'session',
      attempt: { ...presentedBy(deviceToken), address: '192.0.2.7' },
    })

  test('the thirty-first wrong code from one address within a minute is not tested', async () => {
    const account = await bench.insert()
    const { secret } = await bench.enrollTotp(account)
    for (let round = 0; round < 6; round++) {
      const text = await challenge()
      for (let tried = 0; tried < 5; tried++)
        expect(await outcomeOf(answer(text, wrongCode))).toBe('invalid-credentials')
    }
    // Passwords and codes of an address count together, so the challenge comes from another one.
    const text = await challenge(null, '192.0.2.8')
    const code = bench.codeOf(secret, 1)
    expect(await outcomeOf(answer(text, code))).toBe('throttled by address for 60')
    bench.advance(60)
    // The challenge has lost no try, and the code was not used up.
    expect(await outcomeOf(answer(text, bench.codeOf(secret)))).toBe('signed-in')
  })

  test('do not count for the password of the account', async () => {
    const account = await bench.insert()
    await bench.enrollTotp(account)
    const text = await challenge()
    for (let tried = 0; tried < 5; tried++) await answer(text, wrongCode)
    expect(await createFailureCounter(bench.lockouts, 'password').read(account.id)).toBe(0)
    for (let signedIn = 0; signedIn < 5; signedIn++) await challenge()
  })

  test('codes of a known device do not count for the address', async () => {
    const account = await bench.insert()
    const { deviceToken } = await bench.signIn()
    const { secret } = await bench.enrollTotp(account)
    for (let round = 0; round < 6; round++) {
      const text = await challenge()
      for (let tried = 0; tried < 5; tried++) await answer(text, wrongCode)
    }
    const text = await challenge(deviceToken)
    expect(await outcomeOf(answer(text, bench.codeOf(secret, 1), deviceToken))).toBe('signed-in')
  })

  test('right codes do not count', async () => {
    bench = createLimitedBench({ perAddress: 5 })
    const account = await bench.insert()
    const { codes } = await bench.enrollTotp(account)
    for (const code of codes.slice(0, 9)) expect(await outcomeOf(answer(await challenge(), code))).toBe('signed-in')
    const text = await challenge()
    for (let tried = 0; tried < 5; tried++) expect(await outcomeOf(answer(text, wrongCode))).toBe('invalid-credentials')
  })

  test('used codes count as wrong codes', async () => {
    bench = createLimitedBench({ perAddress: 3 })
    const { codes } = await bench.enrollTotp(await bench.insert())
    const [used = ''] = codes
    expect(await outcomeOf(answer(await challenge(), used))).toBe('signed-in')
    const text = await challenge()
    for (let tried = 0; tried < 3; tried++) expect(await outcomeOf(answer(text, used))).toBe('invalid-credentials')
    expect(await outcomeOf(answer(text, used))).toBe('throttled by address for 60')
  })

  test('wrong codes raise the alarm as wrong passwords do', async () => {
    bench = createLimitedBench({ alarmAt: 3 })
    await bench.enrollTotp(await bench.insert())
    const text = await challenge()
    const alarms = () => bench.events.filter(({ type }) => type === 'guessing.suspected')
    for (let tried = 0; tried < 2; tried++) await answer(text, wrongCode)
    expect(alarms()).toEqual([])
    await answer(text, wrongCode)
    expect(alarms()).toMatchObject([{ channel: 'native', failures: 3, seconds: 60 }])
  })

  test('throttled codes emit an event with the account of their challenge', async () => {
    bench = createLimitedBench({ perAddress: 1 })
    const { id: accountId } = await bench.insert()
    const { secret } = await bench.enrollTotp({ email } as never)
    const text = await challenge()
    await answer(text, wrongCode)
    expect(await outcomeOf(answer(text, bench.codeOf(secret, 1)))).toBe('throttled by address for 60')
    const event = { type: 'sign-in.throttled', limit: 'address', accountId, address: '192.0.2.7', channel: 'native' }
    expect(bench.events.at(-1)).toMatchObject(event)
  })

  test('codes of an enrolment, of disabling the app and of new recovery codes count as well', async () => {
    bench = createLimitedBench({ perAddress: 3 })
    const account = await bench.insert()
    const attempt = from('192.0.2.7')
    const { identity } = await bench.signIn({ attempt: from('192.0.2.1') })
    await bench.accounts.startTotpEnrollment({ identity, attempt })
    const confirm = () => bench.accounts.confirmTotpEnrollment({ identity, code: wrongCode, attempt })
    for (let tried = 0; tried < 3; tried++) expect(await outcomeOf(confirm())).toBe('invalid-credentials')
    expect(await outcomeOf(confirm())).toBe('throttled by address for 60')

    bench.advance(60)
    const enrolled = await bench.enrollTotp(account)
    const by = { identity: enrolled.identity, code: '000000', attempt }
    expect(await outcomeOf(bench.accounts.disableTotp(by))).toBe('invalid-credentials')
    expect(await outcomeOf(bench.accounts.regenerateRecoveryCodes(by))).toBe('invalid-credentials')
    expect(await outcomeOf(bench.accounts.disableTotp(by))).toBe('invalid-credentials')
    expect(await outcomeOf(bench.accounts.regenerateRecoveryCodes(by))).toBe('throttled by address for 60')
    expect(await outcomeOf(bench.accounts.disableTotp(by))).toBe('throttled by address for 60')
  })
})

test('one address starts at most sixty passkey sign-ins within a minute', async () => {
  const begin = (address: string) => bench.accounts.startPasskeySignIn({ attempt: from(address) })
  for (let begun = 0; begun < 60; begun++) expect(await outcomeOf(begin('192.0.2.1'))).toBe('accepted')
  expect(await outcomeOf(begin('192.0.2.1'))).toBe('throttled by passkey-ceremonies for 60')
  const event = { type: 'sign-in.throttled', limit: 'passkey-ceremonies', accountId: null, address: '192.0.2.1' }
  expect(bench.events.at(-1)).toMatchObject(event)
  expect(await outcomeOf(begin('192.0.2.2'))).toBe('accepted')
})

test('a known device starts its second step with a passkey despite the limit of its address', async () => {
  bench = createLimitedBench({ ceremoniesPerAddress: 2 })
  await bench.insert()
  const { deviceToken } = await bench.signIn()
  await bench.addPasskey(await bench.signIn({ attempt: presentedBy(deviceToken) }))
  const attempt = { ...presentedBy(deviceToken), address: '192.0.2.1' }
  const stranger = from('192.0.2.1')
  const begin = (challenge: string | null, by: Attempt = attempt) =>
    outcomeOf(bench.accounts.startPasskeySignIn({ challenge, attempt: by }))
  for (let begun = 0; begun < 2; begun++) expect(await begin(null, stranger)).toBe('accepted')

  const challenge = await challengeOf(bench.accounts.signIn({ email, password, delivery: 'session', attempt }))
  expect(await begin(challenge, stranger)).toBe('throttled by passkey-ceremonies for 60')
  // It has as many of its own.
  for (let begun = 0; begun < 2; begun++) expect(await begin(challenge)).toBe('accepted')
  expect(await begin(challenge)).toBe('throttled by passkey-ceremonies for 60')
  // Without a challenge it is not known whose device it is.
  expect(await begin(null)).toBe('throttled by passkey-ceremonies for 60')
})

test('a passkey is accepted as second factor from an address with too many wrong codes', async () => {
  bench = createLimitedBench({ perAddress: 1 })
  await bench.insert()
  await bench.addPasskey(await bench.signIn())
  const attempt = from('192.0.2.7')
  const challenge = await challengeOf(bench.accounts.signIn({ email, password, delivery: 'session', attempt }))
  const answer = { challenge, delivery: 'session', attempt } as const
  expect(await outcomeOf(bench.accounts.verifySecondFactor({ ...answer, code: wrongCode }))).toBe('invalid-credentials')
  const response = await bench.showPasskey(challenge)
  expect(await outcomeOf(bench.accounts.finishPasskeySignIn({ ...answer, response }))).toBe('signed-in')
})

test('a passkey signs in from an address with too many wrong passwords', async () => {
  await bench.insert()
  await bench.addPasskey(await bench.signIn())
  const attempt = from('192.0.2.7')
  for (let guessed = 0; guessed < 30; guessed++) {
    await bench.accounts.signIn({ email: `ada${guessed}@example.com`, password: 'x', delivery: 'session', attempt })
  }
  const begun = await bench.accounts.startPasskeySignIn({ attempt })
  if (!begun.ok) throw new Error('no ceremony has begun')
  const response = await bench.authenticator.get(begun.options as never)
  expect(await outcomeOf(bench.accounts.finishPasskeySignIn({ response, delivery: 'session', attempt }))).toBe(
    'signed-in',
  )
})
