import { createPasswordPolicy, type PasswordPolicyOptions } from '@latchkey/password'
import { cpuMilliseconds } from '@latchkey/test-services'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const policy = createPasswordPolicy()
const withSecondFactor = createPasswordPolicy({ minimumCharacters: 8 })
const context = ['ada.lovelace@example.com', 'Ada Lovelace', 'Analytical Engines']

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
    'Ada likes very long walks by the sea',
  ])('%j is accepted', async (password) => {
    expect(await policy.check(password, { context })).toEqual({ ok: true })
  })

  test('of eight characters is enough beside a second factor', async () => {
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
    'football1',
    'trustno1',
    'qwe123qwe',
    'correcthorsebatterystaple',
    'correct horse battery staple',
    'thisismypassword',
    'contraseña1',
    'starwars2020',
    'Dragon1987!',
    'tr0ub4dor&3',
    'letmein!!',
  ])('%j is common', async (password) => {
    expect(await withSecondFactor.check(password)).toEqual({ ok: false, reason: 'common' })
  })

  test.each([
    'aaaaaaaaaaaaaaa',
    '111111111111111',
    '123456789012345',
    '9876543210987654',
    'abcdefghijklmnop',
    'zyxwvutsrqponmlk',
    'qwertyuiopasdfgh',
    'QwertyuiopAsdfgh',
    'qwertzuiopasdfgh',
    'azertyuiopqsdfgh',
    '1122334455667788',
    'abcabcabcabcabc',
    'xK9xK9xK9xK9xK9',
    '🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦🦦',
    'aaaaaaaabbbbbbbb',
    '12345678abcdefgh',
    'poiuytrewqlkjhgf',
  ])('%j is predictable', async (password) => {
    expect(await policy.check(password)).toEqual({ ok: false, reason: 'predictable' })
  })

  test.each([
    'ada.lovelace@example.com',
    'Ada.Lovelace@Example.com',
    'adalovelace1815',
    'Lovelace!Lovelace',
    'L0vel4ceL0vel4ce',
    'analyticalengines',
    'lovelace-18-15-',
    'AnalyticalAda1!!',
  ])('%j is made of its owner’s own words', async (password) => {
    expect(await policy.check(password, { context })).toEqual({ ok: false, reason: 'context' })
  })

  test('of somebody else’s words is not refused for them', async () => {
    expect(await policy.check('lovelace-18-15-', { context: ['grace.hopper@example.com'] })).toEqual({ ok: true })
  })

  test('from a list of one’s own is common too, however it is disguised', async () => {
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
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 4 }),
      async (password, words) => {
        const verdict = await policy.check(password, { context: words })
        expect(verdict.ok || typeof verdict.reason === 'string').toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})

test('a long password of one’s own words is looked through quickly', async () => {
  const words = Array.from({ length: 50 }, (_, index) => `word${index}`)
  const cost = await cpuMilliseconds(async () => {
    await policy.check('word1'.repeat(200), { context: words })
    await policy.check('a1'.repeat(512), { context: words })
    await policy.check(`${'!'.repeat(500)}a${'!'.repeat(500)}`, { context: words })
  })
  expect(cost).toBeLessThan(50)
})

test.each<[string, PasswordPolicyOptions]>([
  ['minimumCharacters', { minimumCharacters: 7 }],
  ['minimumCharacters', { minimumCharacters: Number.NaN }],
  ['maximumBytes', { maximumBytes: 63 }],
])('createPasswordPolicy refuses %s out of range: %o', (name, options) => {
  expect(() => createPasswordPolicy(options)).toThrow(TypeError)
  expect(() => createPasswordPolicy(options)).toThrow(name)
})
