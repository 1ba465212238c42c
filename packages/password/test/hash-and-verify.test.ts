import { createPasswordHasher, hashPassword, PasswordError, verifyPassword } from '@latchkey/password'
import { cpuMilliseconds } from '@latchkey/test-services'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { closeHashers, createWeakWorkerHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const hasher = createWeakWorkerHasher()

/** Any text that is a password: well-formed, without NUL, 1 to 1024 bytes. */
const passwords = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 100 })
  .filter((text) => !text.includes('\0') && text.normalize('NFC') === text)

describe('hashPassword and verifyPassword', () => {
  test('use Argon2id with 19 MiB, two iterations and a salt of 16 bytes', async () => {
    const stored = await hashPassword('otters read quietly')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await verifyPassword('otters read quietly', stored)).toEqual({ ok: true, needsRehash: false })
    expect(await verifyPassword('otters read quietlY', stored)).toEqual({ ok: false, needsRehash: false })
  })

  test('say no to an account that is not there', async () => {
    expect(await verifyPassword('otters read quietly', null)).toEqual({ ok: false, needsRehash: false })
  })
})

describe('a password', () => {
  test('is the one of its hash, and no other is', async () => {
    await fc.assert(
      fc.asyncProperty(passwords, passwords, async (password, other) => {
        const stored = await hasher.hash(password)
        expect(await hasher.verify(password, stored)).toEqual({ ok: true, needsRehash: false })
        if (other !== password) expect(await hasher.verify(other, stored)).toEqual({ ok: false, needsRehash: false })
      }),
      { numRuns: 150 },
    )
  })

  test('has another hash each time', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, () => hasher.hash('the same')))
    expect(new Set(stored).size).toBe(20)
  })

  test.each([
    ['a letter with an accent', 'caf\u00e9', 'cafe\u0301'],
    ['a Hangul syllable', '\uac01', '\u1100\u1161\u11a8'],
    ['marks in another order', 'q\u0323\u0307', 'q\u0307\u0323'],
    ['the sign of Ångström', '\u00c5', '\u212b'],
  ])('is the same in every spelling: %s', async (_what, one, other) => {
    expect(one).not.toBe(other)
    expect((await hasher.verify(other, await hasher.hash(one))).ok).toBe(true)
    expect((await hasher.verify(one, await hasher.hash(other))).ok).toBe(true)
  })

  test.each([
    ['a ligature and its letters', 'ﬁne', 'fine'],
    ['upper and lower case', 'Quiet', 'quiet'],
    ['a space at the end', 'quiet ', 'quiet'],
  ])('is not the same for %s', async (_what, one, other) => {
    expect((await hasher.verify(other, await hasher.hash(one))).ok).toBe(false)
  })

  test('may have 1024 bytes, all of which count', async () => {
    const long = 'ä'.repeat(512)
    const stored = await hasher.hash(long)
    expect((await hasher.verify(long, stored)).ok).toBe(true)
    expect((await hasher.verify(`${long.slice(0, -1)}ö`, stored)).ok).toBe(false)
  })
})

describe('a value that is not a password', () => {
  const fifty = 50 * 1024 * 1024
  const refused: [string, unknown, string][] = [
    ['nothing', '', 'PASSWORD_INVALID'],
    ['a NUL character', 'before\0after', 'PASSWORD_INVALID'],
    ['a lone high surrogate', 'x\ud800', 'PASSWORD_INVALID'],
    ['a lone low surrogate', '\udfffx', 'PASSWORD_INVALID'],
    ['undefined', undefined, 'PASSWORD_INVALID'],
    ['null', null, 'PASSWORD_INVALID'],
    ['a number', 12_345_678, 'PASSWORD_INVALID'],
    ['an array', ['a', 'b'], 'PASSWORD_INVALID'],
    ['an object with a length', { length: 8 }, 'PASSWORD_INVALID'],
    ['bytes', new Uint8Array(8), 'PASSWORD_INVALID'],
    ['1025 bytes of ASCII', 'x'.repeat(1025), 'PASSWORD_TOO_LONG'],
    ['1026 bytes in 342 characters', '水'.repeat(342), 'PASSWORD_TOO_LONG'],
    ['50 MB', 'x'.repeat(fifty), 'PASSWORD_TOO_LONG'],
    ['50 MB of lone surrogates', '\ud800'.repeat(fifty / 2), 'PASSWORD_TOO_LONG'],
  ]

  test.each(refused)('%s is refused in under 50 ms without a hash computed', async (_what, password, code) => {
    const before = hasher.stats.evaluations
    let refusal: unknown
    const cost = await cpuMilliseconds(async () => {
      refusal = await hasher.hash(password as string).catch((error: unknown) => error)
    })
    expect(cost).toBeLessThan(50)
    expect(refusal).toBeInstanceOf(PasswordError)
    expect(refusal).toMatchObject({ code, retryAfterSeconds: null })
    expect(String(refusal)).not.toContain('after')
    expect(hasher.stats.evaluations).toBe(before)
  })

  test.each(refused)('%s is a wrong password at a login, with the work of one', async (_what, password) => {
    const stored = await hasher.hash('right')
    const before = hasher.stats.evaluations
    expect(await hasher.verify(password as string, stored)).toEqual({ ok: false, needsRehash: false })
    expect(hasher.stats.evaluations).toBe(before + 1)
  })

  test('any text is hashed or refused with a code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 400 }), async (text) => {
        const answer = await hasher.hash(text).catch((error: unknown) => error)
        if (typeof answer !== 'string') expect(answer).toBeInstanceOf(PasswordError)
      }),
      { numRuns: 200 },
    )
  })
})

describe('bcrypt', () => {
  const bcrypt = createWeakWorkerHasher({ bcrypt: { cost: 4 } })

  test('hashes up to 72 bytes and refuses the 73rd instead of ignoring it', async () => {
    const stored = await bcrypt.hash('x'.repeat(72))
    expect(stored).toMatch(/^\$2b\$04\$/)
    expect(await bcrypt.verify('x'.repeat(72), stored)).toEqual({ ok: true, needsRehash: false })
    expect(await bcrypt.verify('x'.repeat(73), stored)).toEqual({ ok: false, needsRehash: false })
    await expect(bcrypt.hash('x'.repeat(73))).rejects.toMatchObject({ code: 'PASSWORD_TOO_LONG' })
    await expect(bcrypt.hash(`${'ä'.repeat(36)}x`)).rejects.toMatchObject({ code: 'PASSWORD_TOO_LONG' })
  })

  test('two passwords that differ in the last byte have different hashes', async () => {
    const stored = await bcrypt.hash(`${'x'.repeat(71)}a`)
    expect((await bcrypt.verify(`${'x'.repeat(71)}b`, stored)).ok).toBe(false)
  })
})

test('scrypt is written and read as a PHC string', async () => {
  const scrypt = createWeakWorkerHasher({ scrypt: { cost: 1024, blockSize: 8, parallelism: 1 } })
  const stored = await scrypt.hash('otters')
  expect(stored).toMatch(/^\$scrypt\$ln=10,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await scrypt.verify('otters', stored)).toEqual({ ok: true, needsRehash: false })
  expect(await scrypt.verify('otter', stored)).toEqual({ ok: false, needsRehash: false })
})

describe('createPasswordHasher refuses', () => {
  test.each([
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['queueLimit', { queueLimit: -1 }],
    ['maximumBytes', { maximumBytes: 10 }],
    ['memoryKib', { argon2id: { memoryKib: 19_455 } }],
    ['memoryKib', { argon2id: { memoryKib: 262_145 } }],
    ['memoryKib', { argon2id: { iterations: 1 } }],
    ['memoryKib', { argon2id: { memoryKib: 7_167, iterations: 5 } }],
    ['iterations', { argon2id: { iterations: 11 } }],
    ['iterations', { argon2id: { iterations: 0 } }],
    ['parallelism', { argon2id: { parallelism: 9 } }],
    ['saltBytes', { argon2id: { saltBytes: 8 } }],
    ['outputBytes', { argon2id: { outputBytes: 65 } }],
    ['cost', { bcrypt: { cost: 11 } }],
    ['cost', { bcrypt: { cost: 16 } }],
    ['cost', { scrypt: { cost: 100_000 } }],
    ['scrypt', { scrypt: { cost: 16_384 } }],
    ['blockSize', { scrypt: { blockSize: 0 } }],
    ['exclude', { bcrypt: {}, scrypt: {} }],
    ['strength', { strength: 'weak' }],
    ['pepper', { pepper: [] }],
    ['pepper', { pepper: [{ id: 'a', bytes: new Uint8Array(16) }] }],
    ['engines', { engines: { argon2id: 'argon2' } }],
    ['engines', { engines: { bcrypt: 'node:crypto' } }],
    ['engines', { engines: { md5: 'node:crypto' } }],
    ['engines', { engines: { scrypt: { name: 'mine', kinds: ['bcrypt'], run: () => new Uint8Array() } } }],
  ])('%s out of range: %o', (name, options) => {
    expect(() => createPasswordHasher(options as never)).toThrow(TypeError)
    expect(() => createPasswordHasher(options as never)).toThrow(name)
  })

  test('none of the pairs that OWASP calls equal', () => {
    for (const [iterations, memoryKib] of [
      [1, 47_104],
      [2, 19_456],
      [3, 12_288],
      [4, 9_216],
      [5, 7_168],
      [10, 7_168],
    ] as const) {
      expect(() => createPasswordHasher({ argon2id: { iterations, memoryKib } })).not.toThrow()
    }
    for (const [cost, parallelism] of [
      [131_072, 1],
      [65_536, 2],
      [32_768, 3],
      [16_384, 5],
      [8_192, 10],
    ] as const) {
      expect(() => createPasswordHasher({ scrypt: { cost, parallelism } })).not.toThrow()
    }
  })
})
