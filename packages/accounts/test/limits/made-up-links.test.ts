import type { Attempt } from '@latchkey/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { email, newPassword, password } from '../bench.ts'
import { mailsTo, tokenTo } from '../own-account/mailed-links.ts'
import { createLimitedBench, from, type LimitedBench, measured, outcomeOf } from './limited-bench.ts'

let bench: LimitedBench
beforeEach(async () => {
  bench = createLimitedBench()
  await bench.insert()
})

const attempt = from('192.0.2.7')
/** Of the form of a link, and of none. */
const madeUp = [`reset_${'A'.repeat(22)}.${'A'.repeat(43)}`, 'made up']

type Follow = (token: string, attempt: Attempt) => Promise<unknown>
const links: readonly (readonly [purpose: string, follow: Follow])[] = [
  ['reset-password', (token, attempt) => bench.accounts.resetPassword({ token, newPassword, attempt })],
  ['verify-email', (token, attempt) => bench.accounts.verifyEmail({ token, attempt })],
  ['confirm-email-change', (token, attempt) => bench.accounts.confirmEmailChange({ token, attempt })],
  ['undo-email-change', (token, attempt) => bench.accounts.undoEmailChange({ token, attempt })],
]

describe.each(links)('made-up links to %s', (purpose, follow) => {
  test('are refused thirty times a minute from one address, and count with wrong passwords', async () => {
    for (let followed = 0; followed < 30; followed++) {
      expect(await outcomeOf(follow(madeUp[followed % 2] ?? '', attempt))).toBe('link-invalid')
    }
    for (const token of madeUp) {
      expect(await measured(() => follow(token, attempt))).toEqual(['throttled by address for 60', 0])
    }
    expect(bench.events.filter(({ type }) => type === 'link.refused')).toHaveLength(30)
    expect(bench.events.at(-1)).toMatchObject({ type: 'sign-in.throttled', accountId: null, limit: 'address' })
    const signIn = () => bench.accounts.signIn({ email, password, delivery: 'session', attempt })
    expect(await measured(signIn)).toEqual(['throttled by address for 60', 0])
    expect(await outcomeOf(follow(madeUp[0] ?? '', from('192.0.2.8')))).toBe('link-invalid')
    bench.advance(60)
    expect(await outcomeOf(signIn())).toBe('signed-in')
    expect(await outcomeOf(follow(madeUp[0] ?? '', attempt))).toBe('link-invalid')
  })

  test('are not counted by checkLink, because another site can lead a browser there', async () => {
    for (let shown = 0; shown < 40; shown++) {
      const checked = bench.accounts.checkLink({ purpose: purpose as 'verify-email', token: madeUp[0] ?? '', attempt })
      expect(await outcomeOf(checked)).toBe('link-invalid')
    }
    expect(await outcomeOf(follow(madeUp[0] ?? '', attempt))).toBe('link-invalid')
  })
})

test('a right link works from an address whose made-up ones are throttled, and counts nowhere', async () => {
  bench = createLimitedBench({ perAddress: 1 })
  await bench.insert()
  await bench.accounts.requestPasswordReset({ email, attempt })
  const token = await tokenTo(bench, email, 'reset-password')
  const reset = (shown: string) => bench.accounts.resetPassword({ token: shown, newPassword, attempt })
  expect(await outcomeOf(reset('made up'))).toBe('link-invalid')
  expect(await outcomeOf(reset('made up'))).toBe('throttled by address for 60')
  expect(await outcomeOf(reset(token))).toBe('password-set')
  expect(await mailsTo(bench, email)).toMatchObject([{ kind: 'reset-password' }, { kind: 'password-changed' }])
  bench.advance(60)
  expect(await outcomeOf(reset('made up'))).toBe('link-invalid')
})

test('a used link that is presented again is refused, and does not throttle its owner', async () => {
  await bench.accounts.requestPasswordReset({ email, attempt })
  const token = await tokenTo(bench, email, 'reset-password')
  const reset = () => bench.accounts.resetPassword({ token, newPassword, attempt })
  expect(await outcomeOf(reset())).toBe('password-set')
  for (let again = 0; again < 10; again++) {
    expect(await outcomeOf(bench.accounts.checkLink({ purpose: 'reset-password', token, attempt }))).toBe(
      'link-invalid',
    )
    expect(await outcomeOf(reset())).toBe('link-invalid')
  }
  const signIn = bench.accounts.signIn({ email, password: newPassword, delivery: 'session', attempt })
  expect(await outcomeOf(signIn)).toBe('signed-in')
  await bench.accounts.requestPasswordReset({ email, attempt })
  await bench.accounts.settled()
  expect((await mailsTo(bench, email)).filter(({ kind }) => kind === 'reset-password')).toHaveLength(2)
})

test('a link of an account that has changed is refused, and is not counted as made up', async () => {
  bench = createLimitedBench({ perAddress: 1 })
  const { id } = await bench.insert()
  await bench.accounts.requestPasswordReset({ email, attempt })
  const token = await tokenTo(bench, email, 'reset-password')
  await bench.store.replace(id, {}, { epoch: 1 })
  const reset = (shown: string) => bench.accounts.resetPassword({ token: shown, newPassword, attempt })
  for (let followed = 0; followed < 3; followed++) expect(await outcomeOf(reset(token))).toBe('link-invalid')
  expect(await outcomeOf(reset('made up'))).toBe('link-invalid')
  expect(await outcomeOf(reset('made up'))).toBe('throttled by address for 60')
})

test('many made-up links raise the alarm', async () => {
  bench = createLimitedBench({ alarmAt: 3 })
  for (let followed = 0; followed < 3; followed++) {
    await bench.accounts.resetPassword({ token: 'made up', newPassword, attempt })
  }
  expect(bench.events.filter(({ type }) => type === 'guessing.suspected')).toMatchObject([{ failures: 3 }])
})
