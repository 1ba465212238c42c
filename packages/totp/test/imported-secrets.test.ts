import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { codeAt } from './authenticator.ts'
import { account, openEnrolled, openTotp, refused, storedOf } from './open-totp.ts'

describe('a secret of another system', () => {
  test.each([16, 20, 32, 64])(
    'with %i bytes is active at once, and each code of its app is accepted once',
    async (length) => {
      const { totp, now } = openTotp()
      const secret = randomBytes(length)
      const code = codeAt(secret, now())
      expect(await totp.importSecret(account, secret)).toBe(true)
      expect(await totp.find(account)).toEqual({ kind: 'totp', createdAt: now(), lastUsedAt: null, isDisabled: false })
      const proof = { kind: 'totp', at: now(), category: 'have' }
      expect(await totp.verify(account, code)).toEqual({ ok: true, proof })
      expect(await totp.verify(account, code)).toEqual(refused('used'))
    },
  )

  test('is sealed at rest, and stays what it was when the caller wipes its bytes', async () => {
    const { totp, documents, now } = openTotp()
    const secret = Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEF')
    const code = codeAt(secret, now())
    const importing = totp.importSecret(account, secret)
    secret.fill(0)
    await importing
    expect(JSON.stringify(await storedOf(documents))).not.toContain('abcdef')
    expect(await totp.verify(account, code)).toMatchObject({ ok: true })
  })

  test('does not replace a factor of the account, and the store does not change', async () => {
    const { totp, documents, secret, code } = await openEnrolled()
    const before = await storedOf(documents)
    expect(await totp.importSecret(account, randomBytes(20))).toBe(false)
    expect(await storedOf(documents)).toEqual(before)
    expect(await totp.verify(account, code(secret))).toMatchObject({ ok: true })
  })

  test('is imported by one of fifty calls', async () => {
    const { totp } = openTotp()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => totp.importSecret(account, randomBytes(20))))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  test.each<[what: string, secret: unknown]>([
    ['a text', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
    ['15 bytes', randomBytes(15)],
    ['65 bytes', randomBytes(65)],
    ['nothing', undefined],
    ['a list of numbers', Array.from({ length: 20 }, () => 7)],
  ])('that is %s is refused, and nothing is stored', async (_what, secret) => {
    const { totp, documents } = openTotp()
    await expect(totp.importSecret(account, secret as Uint8Array)).rejects.toThrow('"secret" must be a Uint8Array')
    expect(await storedOf(documents)).toEqual([])
  })

  test.each(['', undefined])('is refused for %j, which is no account', async (id) => {
    const { totp } = openTotp()
    await expect(totp.importSecret(id as string, randomBytes(20))).rejects.toThrow('"accountId" must be a text')
  })
})
