import { describe, expect, test } from 'vitest'
import { decodeBase32 } from './authenticator.ts'
import { account, failTimes, failuresOf, openEnrolled, openTotp, refused, storedOf } from './open-totp.ts'

const name = 'ada@example.com'

describe('an enrolment', () => {
  test('becomes the factor once a code confirms it, and this code does not work again', async () => {
    const { totp, code, now } = openTotp()
    const { secret } = await totp.enroll(account, name)
    expect(await totp.find(account)).toBeNull()
    expect(await totp.verify(account, code(secret))).toEqual(refused('not-enrolled'))
    const proof = { kind: 'totp', at: now(), category: 'have' }
    expect(await totp.confirm(account, code(secret))).toEqual({ ok: true, proof })
    expect(await totp.find(account)).toEqual({
      kind: 'totp',
      createdAt: now(),
      lastUsedAt: now(),
      isDisabled: false,
    })
    expect(await totp.verify(account, code(secret))).toEqual(refused('used'))
    expect(await totp.confirm(account, code(secret, 1))).toEqual(refused('not-enrolled'))
  })

  test('has a secret of 160 bits, different each time', async () => {
    const { totp } = openTotp()
    const { secret } = await totp.enroll(account, name)
    expect(decodeBase32(secret)).toHaveLength(20)
    expect((await totp.enroll(account, name)).secret).not.toBe(secret)
  })

  test('is no factor before it is confirmed', async () => {
    const { totp, documents } = openTotp()
    await totp.enroll(account, name)
    expect((await storedOf(documents)).map(({ collection }) => collection)).toEqual(['factor-totp-enrollment'])
    expect(await totp.remove(account)).toBe(false)
    expect(await storedOf(documents)).toEqual([])
  })

  test('expires after ten minutes', async () => {
    const { totp, code, advance, documents } = openTotp()
    const { secret } = await totp.enroll(account, name)
    advance(20)
    const before = await storedOf(documents)
    expect(await totp.confirm(account, code(secret))).toEqual(refused('not-enrolled'))
    expect(await storedOf(documents)).toEqual(before)
  })

  test('can be confirmed until the last moment', async () => {
    const { totp, code, advance } = openTotp({ enrollmentSeconds: 31 })
    const { secret } = await totp.enroll(account, name)
    advance(1)
    expect(await totp.confirm(account, code(secret))).toMatchObject({ ok: true })
  })

  test.each([
    ['another session', { binding: 'session_2' }],
    ['no session', {}],
  ])('bound to a session cannot be confirmed in %s, and the store does not change', async (_title, options) => {
    const { totp, code, documents } = openTotp()
    const { secret } = await totp.enroll(account, name, { binding: 'session_1' })
    const before = await storedOf(documents)
    expect(await totp.confirm(account, code(secret), options)).toEqual(refused('not-enrolled'))
    expect(await storedOf(documents)).toEqual(before)
    expect(await totp.confirm(account, code(secret), { binding: 'session_1' })).toMatchObject({ ok: true })
  })

  test('ends with the fifth wrong code', async () => {
    const { totp, code, wrong } = openTotp()
    const { secret } = await totp.enroll(account, name)
    for (let failures = 1; failures <= 5; failures++) {
      expect(await totp.confirm(account, wrong(secret))).toEqual(refused('wrong'))
    }
    expect(await totp.confirm(account, code(secret))).toEqual(refused('not-enrolled'))
  })

  test('is open after four wrong codes', async () => {
    const { totp, code, wrong, documents } = openTotp()
    const { secret } = await totp.enroll(account, name)
    for (let failures = 1; failures <= 4; failures++) await totp.confirm(account, wrong(secret))
    expect(await totp.confirm(account, code(secret))).toMatchObject({ ok: true })
    expect(await failuresOf(documents)).toBe(0)
  })

  test('expires when another enrolment starts', async () => {
    const { totp, code } = openTotp()
    const first = await totp.enroll(account, name)
    const second = await totp.enroll(account, name)
    expect(await totp.confirm(account, code(first.secret))).toEqual(refused('wrong'))
    expect(await totp.confirm(account, code(second.secret))).toMatchObject({ ok: true })
  })

  test('cannot be confirmed for another account', async () => {
    const { totp, code } = openTotp()
    const { secret } = await totp.enroll(account, name)
    expect(await totp.confirm('acc_2', code(secret))).toEqual(refused('not-enrolled'))
  })

  test('needs the id of an account', async () => {
    const { totp } = openTotp()
    await expect(totp.enroll('', name)).rejects.toThrow('"accountId" must be a text that is not empty')
    await expect(totp.enroll(account, 7 as never)).rejects.toThrow('"accountName" must be a text')
  })
})

describe('beforeActivation', () => {
  test('is called once, before the factor is active', async () => {
    const { totp, code } = openTotp()
    const { secret } = await totp.enroll(account, name)
    const seen: unknown[] = []
    const beforeActivation = async () => {
      seen.push(await totp.find(account))
      return true
    }
    expect(await totp.confirm(account, code(secret), { beforeActivation })).toMatchObject({ ok: true })
    expect(seen).toEqual([null])
  })

  test('is not called for a wrong code', async () => {
    const { totp, wrong } = openTotp()
    const { secret } = await totp.enroll(account, name)
    const beforeActivation = async () => expect.unreachable('called')
    expect(await totp.confirm(account, wrong(secret), { beforeActivation })).toEqual(refused('wrong'))
  })

  test('keeps the old factor active if it refuses or fails, and cancels the enrolment', async () => {
    const { totp, code, secret: old, documents, wrong } = await openEnrolled()
    await failTimes(totp, 3, wrong(old))
    for (const answer of [async () => false, () => Promise.reject(new Error('store'))]) {
      const { secret } = await totp.enroll(account, name)
      const confirmed = totp.confirm(account, code(secret), { beforeActivation: answer })
      await confirmed.then(
        (verdict) => expect(verdict).toEqual(refused('overtaken')),
        (error) => expect(error.message).toBe('store'),
      )
      expect(await totp.confirm(account, code(secret, 1))).toEqual(refused('not-enrolled'))
    }
    expect(await failuresOf(documents)).toBe(3)
    expect(await totp.verify(account, code(old))).toMatchObject({ ok: true })
  })
})

test('a factor that is removed during its activation stays removed', async () => {
  for (const isReplaced of [false, true]) {
    const { totp, code, documents } = isReplaced ? await openEnrolled() : openTotp()
    const { secret } = await totp.enroll(account, name)
    const beforeActivation = async () => {
      expect(await totp.remove(account)).toBe(isReplaced)
      return true
    }
    expect(await totp.confirm(account, code(secret), { beforeActivation })).toEqual(refused('overtaken'))
    expect(await storedOf(documents)).toEqual([])
  }
})

test('a factor that is removed during its activation stays removed even if another enrolment has started', async () => {
  for (const isReplaced of [false, true]) {
    const { totp, code } = isReplaced ? await openEnrolled() : openTotp()
    const { secret } = await totp.enroll(account, name)
    let later = ''
    const beforeActivation = async () => {
      await totp.remove(account)
      later = (await totp.enroll(account, name)).secret
      return true
    }
    expect(await totp.confirm(account, code(secret), { beforeActivation })).toEqual(refused('overtaken'))
    expect(await totp.find(account)).toBeNull()
    expect(await totp.confirm(account, code(later))).toMatchObject({ ok: true })
  }
})

test('a factor is activated if another enrolment starts meanwhile without a removal', async () => {
  for (const isReplaced of [false, true]) {
    const { totp, code } = isReplaced ? await openEnrolled() : openTotp()
    const { secret } = await totp.enroll(account, name)
    const beforeActivation = async () => (await totp.enroll(account, name)).secret !== secret
    expect(await totp.confirm(account, code(secret), { beforeActivation })).toMatchObject({ ok: true })
    expect(await totp.find(account)).not.toBeNull()
  }
})

describe('a factor that is enrolled anew', () => {
  test('is active until the new factor is confirmed, and never afterwards', async () => {
    const { totp, code, advance, secret: old } = await openEnrolled()
    const { secret } = await totp.enroll(account, name)
    expect(await totp.verify(account, code(old))).toMatchObject({ ok: true })
    expect(await totp.verify(account, code(secret))).toEqual(refused('wrong'))
    expect(await totp.confirm(account, code(secret))).toMatchObject({ ok: true })
    advance(1)
    expect(await totp.verify(account, code(old))).toEqual(refused('wrong'))
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
  })

  test('is enabled again, without the wrong codes of the old factor', async () => {
    const { totp, code, wrong, advance, secret: old } = await openEnrolled({ maxFailures: 3 })
    await failTimes(totp, 3, wrong(old))
    expect(await totp.find(account)).toMatchObject({ isDisabled: true })
    const { secret } = await totp.enroll(account, name)
    expect(await totp.verify(account, code(old))).toEqual(refused('disabled'))
    expect(await totp.confirm(account, code(secret))).toMatchObject({ ok: true })
    expect(await totp.find(account)).toMatchObject({ isDisabled: false })
    advance(1)
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
  })
})

test('a factor that was removed is gone with its enrolment, and true is answered once', async () => {
  const { totp, documents, code, secret } = await openEnrolled()
  await totp.enroll(account, name)
  expect(await totp.remove(account)).toBe(true)
  expect(await totp.remove(account)).toBe(false)
  expect(await storedOf(documents)).toEqual([])
  expect(await totp.verify(account, code(secret))).toEqual(refused('not-enrolled'))
})
