import { createHash } from 'node:crypto'
import type { PasswordHasher } from '@latchkey/password'
import { describeHash, wrapHash } from '@latchkey/password'
import { cpuMilliseconds } from '@latchkey/test-services'
import { afterAll, describe, expect, test } from 'vitest'
import { closeHashers, createWeakHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const hasher = createWeakHasher()
const digest = (algorithm: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHash(algorithm).update(text).digest(encoding)

describe('a wrapped digest', () => {
  test.each<[string, string, Parameters<PasswordHasher['wrap']>[1]]>([
    ['MD5', digest('md5', 'otters ✓'), { algorithm: 'md5' }],
    ['MD5 in capitals', digest('md5', 'otters ✓').toUpperCase(), { algorithm: 'md5' }],
    ['SHA-1', digest('sha1', 'otters ✓'), { algorithm: 'sha1' }],
    ['SHA-1 in base64', digest('sha1', 'otters ✓', 'base64'), { algorithm: 'sha1' }],
    ['SHA-256', digest('sha256', 'otters ✓'), { algorithm: 'sha256' }],
    ['SHA-512', digest('sha512', 'otters ✓'), { algorithm: 'sha512' }],
    ['a salt before the password', digest('md5', 'sältotters ✓'), { algorithm: 'md5', salt: 'sält' }],
    ['a salt after it', digest('sha1', 'otters ✓salt'), { algorithm: 'sha1', salt: 'salt', saltPosition: 'after' }],
  ])('of %s verifies the password and reports needsRehash', async (_what, stored, options) => {
    const wrapped = await hasher.wrap(stored, options)
    expect(wrapped).toMatch(/\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    expect(wrapped).not.toContain(stored.toLowerCase())
    expect(describeHash(wrapped)).toMatchObject({ algorithm: 'argon2id', wrapped: options.algorithm })
    expect(await hasher.verify('otters ✓', wrapped)).toEqual({ ok: true, needsRehash: true })
    expect(await hasher.verify('otters', wrapped)).toEqual({ ok: false, needsRehash: false })
    // The digest itself is no password: who has the old table cannot sign in with it.
    expect((await hasher.verify(stored.toLowerCase(), wrapped)).ok).toBe(false)
  })

  test('has its own salt', async () => {
    const stored = digest('md5', 'otters')
    expect(await hasher.wrap(stored, { algorithm: 'md5' })).not.toBe(await hasher.wrap(stored, { algorithm: 'md5' }))
  })

  test('takes the pepper along', async () => {
    const peppered = createWeakHasher({ pepper: [{ id: 'k1', bytes: new Uint8Array(32).fill(3) }] })
    const wrapped = await peppered.wrap(digest('md5', 'otters'), { algorithm: 'md5' })
    expect(describeHash(wrapped)).toMatchObject({ wrapped: 'md5', pepperKeyId: 'k1' })
    expect(await peppered.verify('otters', wrapped)).toEqual({ ok: true, needsRehash: true })
    expect((await hasher.verify('otters', wrapped)).ok).toBe(false)
  })

  test('is hashed by the configured algorithm', async () => {
    const bcrypt = createWeakHasher({ bcrypt: { cost: 4 } })
    const wrapped = await bcrypt.wrap(digest('md5', 'otters'), { algorithm: 'md5' })
    expect(wrapped).toMatch(/^\$md5\$2b\$04\$/)
    expect(await bcrypt.verify('otters', wrapped)).toEqual({ ok: true, needsRehash: true })
    await expect(bcrypt.wrap(digest('sha512', 'otters'), { algorithm: 'sha512' })).rejects.toMatchObject({
      code: 'PASSWORD_TOO_LONG',
    })
  })

  test('is computed in the idle lane for a whole table', async () => {
    const table = Array.from({ length: 30 }, (_, index) => digest('md5', `user ${index}`))
    const wrapped = await Promise.all(table.map((row) => hasher.wrap(row, { algorithm: 'md5', lane: 'idle' })))
    expect(await hasher.verify('user 17', wrapped[17] ?? null)).toEqual({ ok: true, needsRehash: true })
  })
})

describe('wrapHash', () => {
  test.each<[string, unknown, Parameters<PasswordHasher['wrap']>[1]]>([
    ['a digest of another length', digest('sha1', 'x'), { algorithm: 'md5' }],
    ['something that is not hexadecimal', 'g'.repeat(32), { algorithm: 'md5' }],
    ['a password hash', '$2b$05$F2eE1lTFpC8S1whdtfrc3OYIATQfNNoYD542HGhPnCV0cGT6PdT8G', { algorithm: 'md5' }],
    ['nothing', '', { algorithm: 'md5' }],
    ['null', null, { algorithm: 'md5' }],
    ['50 MB', 'a'.repeat(50_000_000), { algorithm: 'md5' }],
    ['a salt of 65 bytes', digest('md5', 'x'), { algorithm: 'md5', salt: 'x'.repeat(65) }],
  ])('refuses %s in under 50 ms', async (_what, stored, options) => {
    const cost = await cpuMilliseconds(() =>
      expect(wrapHash(stored as string, options)).rejects.toMatchObject({ code: 'PASSWORD_HASH_INVALID' }),
    )
    expect(cost).toBeLessThan(50)
  })

  test.each(['md4', '__proto__', 'constructor', undefined])('refuses the algorithm %s', async (algorithm) => {
    await expect(wrapHash(digest('md5', 'x'), { algorithm: algorithm as 'md5' })).rejects.toThrow(TypeError)
  })

  test('refuses a position of the salt that it does not know', async () => {
    const options = { algorithm: 'md5', salt: 'x', saltPosition: 'between' } as unknown as Parameters<
      PasswordHasher['wrap']
    >[1]
    await expect(wrapHash(digest('md5', 'x'), options)).rejects.toThrow(TypeError)
  })

  test('uses the default parameters', async () => {
    expect(await wrapHash(digest('md5', 'x'), { algorithm: 'md5', lane: 'idle' })).toMatch(
      /^\$md5\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    )
  })
})
