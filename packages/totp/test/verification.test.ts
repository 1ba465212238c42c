import { describe, expect, test } from 'vitest'
import { account, failTimes, failuresOf, openEnrolled, openTotp, refused, storedOf, uncountedOf } from './open-totp.ts'

describe('a code', () => {
  test.each([-1, 0, 1])('is right %i steps from now', async (steps) => {
    const { totp, code, secret, now } = await openEnrolled()
    const proof = { kind: 'totp', at: now(), category: 'have' }
    expect(await totp.verify(account, code(secret, steps))).toEqual({ ok: true, proof })
    expect(await totp.find(account)).toMatchObject({ lastUsedAt: now() })
  })

  test.each([-3, -2, 2, 3])('is wrong %i steps from now, and only the count is stored', async (steps) => {
    const { totp, code, secret, documents, advance } = await openEnrolled()
    advance(5)
    const before = await uncountedOf(documents)
    expect(await totp.verify(account, code(secret, steps))).toEqual(refused('wrong'))
    expect(await uncountedOf(documents)).toEqual(before)
    expect(await failuresOf(documents)).toBe(1)
  })

  test.each([-1, 1])('is wrong %i steps from now if the window is 0', async (steps) => {
    const { totp, code, secret } = await openEnrolled({ window: 0 })
    expect(await totp.verify(account, code(secret, steps))).toEqual(refused('wrong'))
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
  })

  test('is right once, and counts as wrong afterwards', async () => {
    const { totp, code, secret, documents } = await openEnrolled()
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
    expect(await totp.verify(account, code(secret))).toEqual(refused('used'))
    expect(await failuresOf(documents)).toBe(1)
  })

  test('is used once a later one was accepted', async () => {
    const { totp, code, secret, advance } = await openEnrolled()
    expect(await totp.verify(account, code(secret, 1))).toMatchObject({ ok: true })
    expect(await totp.verify(account, code(secret))).toEqual(refused('used'))
    expect(await totp.verify(account, code(secret, -1))).toEqual(refused('used'))
    advance(2)
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
  })

  test('is wrong if it belongs to another account', async () => {
    const { totp, code, secret, advance } = await openEnrolled()
    const other = await totp.enroll('acc_2', 'eve@example.com')
    await totp.confirm('acc_2', code(other.secret))
    advance(2)
    expect(await totp.verify(account, code(other.secret))).toEqual(refused('wrong'))
    expect(await totp.verify('acc_2', code(secret))).toEqual(refused('wrong'))
  })

  test('is not counted if the account has no factor', async () => {
    const { totp, documents } = openTotp()
    expect(await totp.verify(account, '123456')).toEqual(refused('not-enrolled'))
    expect(await storedOf(documents)).toEqual([])
  })
})

describe('wrong codes in a row', () => {
  test('disable the factor at the hundredth, and only its refusal reports it', async () => {
    const { totp, code, wrong, secret, documents } = await openEnrolled()
    await failTimes(totp, 99, wrong(secret))
    expect(await totp.find(account)).toMatchObject({ isDisabled: false })
    expect(await totp.verify(account, wrong(secret))).toEqual({ ok: false, reason: 'wrong', disabled: true })
    expect(await totp.find(account)).toMatchObject({ isDisabled: true })
    expect(await totp.verify(account, wrong(secret))).toEqual(refused('disabled'))
    const before = await storedOf(documents)
    expect(await totp.verify(account, code(secret))).toEqual(refused('disabled'))
    expect(await storedOf(documents)).toEqual(before)
  })

  test('are forgotten after a right one', async () => {
    const { totp, code, wrong, secret, documents } = await openEnrolled({ maxFailures: 3 })
    await failTimes(totp, 2, wrong(secret))
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
    expect(await failuresOf(documents)).toBe(0)
    await failTimes(totp, 2, wrong(secret))
    expect(await totp.verify(account, code(secret, 1))).toMatchObject({ ok: true })
  })

  test('disable it even if they were right earlier', async () => {
    const { totp, code, secret } = await openEnrolled({ maxFailures: 2 })
    await totp.verify(account, code(secret))
    expect(await totp.verify(account, code(secret))).toEqual(refused('used'))
    expect(await totp.verify(account, code(secret))).toEqual({ ok: false, reason: 'used', disabled: true })
  })

  test('disable it if they are simultaneous: no right code is accepted after the last counted code', async () => {
    const { totp, code, wrong, secret } = await openEnrolled({ maxFailures: 20 })
    const codes = Array.from({ length: 30 }, (_, index) => wrong(secret, index * 1000))
    const verdicts = await Promise.all(codes.map((one) => totp.verify(account, one)))
    expect(verdicts.filter((verdict) => !verdict.ok && verdict.disabled)).toHaveLength(1)
    expect(verdicts.filter((verdict) => !verdict.ok && verdict.reason === 'disabled')).toHaveLength(10)
    expect(await totp.verify(account, code(secret))).toEqual(refused('disabled'))
  })

  test('count for their account alone', async () => {
    const { totp, code, wrong, secret, advance } = await openEnrolled({ maxFailures: 2 })
    const other = await totp.enroll('acc_2', 'eve@example.com')
    await totp.confirm('acc_2', code(other.secret))
    advance(1)
    await failTimes(totp, 5, wrong(secret))
    expect(await totp.verify('acc_2', code(other.secret))).toMatchObject({ ok: true })
  })
})

test.each([0, 1])(
  'a call overtaken by another call with a code %i steps later is refused, and not counted as a failure',
  async (steps) => {
    const { totp, documents, secret, code, now } = await openEnrolled()
    let isFirst = true
    const replace: typeof documents.replace = async (...given) => {
      if (isFirst) {
        isFirst = false
        expect(await totp.verify(account, code(secret, steps))).toMatchObject({ ok: true })
      }
      return documents.replace(...given)
    }
    const overtaken = openTotp({ documents: { ...documents, replace }, now })
    expect(await overtaken.totp.verify(account, code(secret))).toEqual(refused('overtaken'))
    expect(await failuresOf(documents)).toBe(0)
  },
)
