import { createHash } from 'node:crypto'
import { createPasswordPolicy } from '@latchkey/password'
import { cpuMilliseconds } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { guessablePasswords } from './guessable-passwords.ts'
import { honestPassphrases } from './honest-passphrases.ts'

const policy = createPasswordPolicy()
const withSecondFactor = createPasswordPolicy({ minimumCharacters: 8 })

describe.each(guessablePasswords)('%s is refused as %s', (_what, reason, passwords) => {
  test.each(passwords)('%j', async (password) => {
    expect(await policy.check(password)).toEqual({ ok: false, reason })
    expect(await policy.check(password.toUpperCase())).toEqual({ ok: false, reason })
  })
})

describe('an honest passphrase', () => {
  test.each(honestPassphrases)('%j is accepted', async (password) => {
    expect(await policy.check(password)).toEqual({ ok: true })
  })

  test('is accepted with a second factor too', async () => {
    const verdicts = await Promise.all(honestPassphrases.map((password) => withSecondFactor.check(password)))
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
  })
})

test('a greater minimum length requires longer passphrases, not more random ones', async () => {
  const strict = createPasswordPolicy({ minimumCharacters: 40 })
  expect(await strict.check('seven kettles hum along, seven kettles hum')).toEqual({ ok: true })
  expect(await strict.check('password welcome password welcome password')).toEqual({ ok: false, reason: 'common' })
})

test('random letters and digits of the least length are accepted', async () => {
  const passwords = Array.from({ length: 500 }, (_, index) => {
    const digest = createHash('sha256').update(String(index)).digest('base64')
    return digest.replace(/[^a-zA-Z0-9]/g, '').slice(0, 15)
  })
  const verdicts = await Promise.all(passwords.map((password) => policy.check(password)))
  expect(passwords.filter((_, index) => verdicts[index]?.ok === false)).toEqual([])
})

describe('words of the account are refused in any disguise', () => {
  const context = [
    'ada.lovelace85@example.com',
    'Ada Lovelace',
    'Analytical Engines',
    'Ünsal Çelik',
    'hopper1906',
    'Jo Li',
    'Team x7k9q2',
  ]
  test.each([
    'ada.lovelace@example.com',
    'Ada.Lovelace@Example.com',
    'adalovelace1815',
    'Lovelace!Lovelace',
    'L0vel4ceL0vel4ce',
    'lovelace-18-15-',
    'l-o-v-e-l-a-c-e-1-8',
    'ecalevol-ecalevol',
    'AdaAdaAdaAdaAda1',
    'analyticalengines',
    'AnalyticalAda1!!',
    'Example-Password',
    'welcome-lovelace',
    'UnsalCelik-2024',
    'ÜnsalÇelik12345',
    'celik-celik-2024',
    'hopper-hopper-12',
    'hopper1906-42-17',
    'x7k9q2-password!',
    'JoLi-1234-JoLi-1',
  ])('%j', async (password) => {
    expect(await policy.check(password, { context })).toEqual({ ok: false, reason: 'context' })
  })

  test('unless they belong to another account', async () => {
    const others = { context: ['grace.hopper@example.com'] }
    expect(await policy.check('lovelace-18-15-', others)).toEqual({ ok: true })
    expect(await policy.check('analyticalengines', others)).toEqual({ ok: true })
  })

  test('unless they are part of a passphrase', async () => {
    expect(await policy.check('Ada likes very long walks by the sea', { context })).toEqual({ ok: true })
    expect(await policy.check('my engines need example oil', { context })).toEqual({ ok: true })
  })
})

describe('a hostile password takes bounded time', () => {
  const longest = createPasswordPolicy({ maximumBytes: 1_000_000 })
  const words = Array.from({ length: 50 }, (_, index) => `word${index}`)
  test.each([
    ['one character', 'a'],
    ['a common word', 'p4ssw0rd'],
    ['a keyboard walk', 'asdf'],
    ['digits', '1-'],
    ['beginnings of common words', 'marmar1'],
    ['words of its owner', 'word1'],
    ['signs', '!-'],
    ['dates', '01011990'],
  ])('by repeating %s', async (_what, unit) => {
    const cost = await cpuMilliseconds(async () => {
      for (const length of [1024, 1_000_000]) {
        const password = unit.repeat(length / unit.length)
        expect(await longest.check(password, { context: [...words, password] })).toMatchObject({ ok: false })
      }
    })
    expect(cost).toBeLessThan(100)
  })

  test('without any repetition', async () => {
    const password = Array.from({ length: 1024 }, (_, index) => String.fromCharCode(33 + ((index * index) % 89))).join(
      '',
    )
    const cost = await cpuMilliseconds(async () => {
      await policy.check(password, { context: words })
    })
    expect(cost).toBeLessThan(100)
  })
})
