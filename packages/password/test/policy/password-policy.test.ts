import { createPasswordPolicy, type PasswordPolicyOptions } from '@latchkey/password'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const policy = createPasswordPolicy()
const withSecondFactor = createPasswordPolicy({ minimumCharacters: 8 })

describe('a good password', () => {
  test.each([
    'otters read quietly at dawn',
    'seven kettles hum',
    'vierzehn müde Dachse',
    'тихие выдры читают',
    '静かな川で本を読む三匹の狸と犬',
    'x9#Kq2!vLm4$Zt8p',
    '        spaces count too',
    '🦦🦦 read by the 🌊 at 🌅 ok',
  ])('%j is accepted', async (password) => {
    expect(await policy.check(password)).toEqual({ ok: true })
  })

  test('needs only eight characters with a second factor', async () => {
    expect(await withSecondFactor.check('q7#mK2vx')).toEqual({ ok: true })
    expect(await policy.check('q7#mK2vx')).toEqual({ ok: false, reason: 'too-short', minimumCharacters: 15 })
    expect(await withSecondFactor.check('q7#mK2v')).toEqual({ ok: false, reason: 'too-short', minimumCharacters: 8 })
  })

  test('needs no capitals, digits or signs', async () => {
    expect(await policy.check('badgers enjoy rainy gravel')).toEqual({ ok: true })
  })
})

describe('a bad password', () => {
  test.each<[string, unknown, string]>([
    ['nothing', '', 'malformed'],
    ['a number', 123_456_789_012_345, 'malformed'],
    ['undefined', undefined, 'malformed'],
    ['a NUL character', 'otters read\0quietly', 'malformed'],
    ['a lone surrogate', 'otters read \ud83e quietly', 'malformed'],
    ['more than 1024 bytes', 'ab'.repeat(513), 'too-long'],
    ['50 MB', 'a'.repeat(50_000_000), 'too-long'],
    ['fourteen characters', 'q7#mK2vxR!9bLp', 'too-short'],
    ['fourteen characters of two units each', '🦦🌊🌅🌙🌞🌈🌋🌍🍀🍁🍄🍇🍉🍊', 'too-short'],
    ['fifteen units that compose to fourteen', 'q7#mK2vxR!9bLe\u0301', 'too-short'],
  ])('%s is refused', async (_what, password, reason) => {
    const minimum = reason === 'too-short' ? { minimumCharacters: 15 } : {}
    expect(await policy.check(password as string)).toEqual({ ok: false, reason, ...minimum })
  })

  test.each([
    'password',
    'Password1',
    'P4$$w0rd!',
    'p@ssw0rd2024',
    'PASSWORD!!!!!!',
    'ｐａｓｓｗｏｒｄ',
    '123password',
    'passwordpassword',
    'p a s s w o r d',
    'iloveyou',
    'iloveyou2',
    'sunshine99',
    '!!liverpool!!',
    '#%liverpool-.',
    'football1',
    'trustno1',
    'qwe123qwe',
    'contraseña1',
    'starwars2020',
    'Dragon1987!',
    'letmein!!',
  ])('%j is common with a second factor too', async (password) => {
    expect(await withSecondFactor.check(password)).toEqual({ ok: false, reason: 'common' })
  })

  test('is common in any disguise if your own list has it', async () => {
    const own = createPasswordPolicy({ blocklist: ['Jubilee Gravel'], minimumCharacters: 8 })
    for (const password of ['jubilee gravel', 'JubileeGravel2026', 'jub1l33gr4v3l', 'jubileegraveljubileegravel']) {
      expect(await own.check(password)).toEqual({ ok: false, reason: 'common' })
    }
    expect(await own.check('jubilee of seven kettles')).toEqual({ ok: true })
  })
})

test('a common word inside a long password is no harm', async () => {
  for (const password of ['the dragon of rainy gravel', 'password manager of 7 badgers', 'monkey7#mK2vx!qR9']) {
    expect(await policy.check(password)).toEqual({ ok: true })
  }
})

test('any text gets a verdict', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: anyCharacter, maxLength: 80 }),
      fc.array(fc.string({ unit: anyCharacter, maxLength: 20 }), { maxLength: 4 }),
      async (password, words) => {
        const verdict = await policy.check(password, { context: words })
        expect(verdict.ok || typeof verdict.reason === 'string').toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})

test.each<[string, PasswordPolicyOptions]>([
  ['minimumCharacters', { minimumCharacters: 7 }],
  ['minimumCharacters', { minimumCharacters: Number.NaN }],
  ['maximumBytes', { maximumBytes: 63 }],
])('createPasswordPolicy refuses %s out of range: %o', (name, options) => {
  expect(() => createPasswordPolicy(options)).toThrow(TypeError)
  expect(() => createPasswordPolicy(options)).toThrow(name)
})
