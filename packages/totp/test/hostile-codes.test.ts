import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { account, failuresOf, openEnrolled, openTotp, refused, uncountedOf } from './open-totp.ts'

const joinedBy = (between: string) => (code: string) => `${code.slice(0, 3)}${between}${code.slice(3)}`
const spaced = joinedBy(' ')
/** Digits from the zero of a script on. */
const digitsFrom = (zero: number) => (code: string) =>
  code.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const zeros = [0xff10, 0x0660, 0x06f0, 0x1d7d8, 0x0966, 0x1e950]
/** Each digit in another script. */
const mixed = (code: string) => [...code].map((digit, index) => digitsFrom(zeros[index] ?? 0)(digit)).join('')

test.each([
  ['a space in the middle', spaced],
  ['spaces all around', (code: string) => `  ${spaced(code)} `],
  ['a line feed behind it', (code: string) => `${code}\n`],
  ['a no-break space', joinedBy('\u00a0')],
  ['a dash in the middle', joinedBy('-')],
  ['an em dash in the middle', joinedBy('\u2014')],
  ['a full-width dash in the middle', joinedBy('\uff0d')],
  ['a zero-width space in it', joinedBy('\u200b')],
  ['a soft hyphen in it', joinedBy('\u00ad')],
  ['marks of direction around it', (code: string) => `\u200f\u2067${code}\u2069\u200e`],
  ['a byte order mark before it', (code: string) => `\ufeff${code}`],
  ['full-width digits', digitsFrom(0xff10)],
  ['Arabic-Indic digits', digitsFrom(0x0660)],
  ['Persian digits', digitsFrom(0x06f0)],
  ['Devanagari digits', digitsFrom(0x0966)],
  ['bold mathematical digits, the first of five sets', digitsFrom(0x1d7ce)],
  ['mathematical digits of a typewriter, the last of five sets', digitsFrom(0x1d7f6)],
  ['each digit in another script', mixed],
  ['full-width digits, dashes and spaces', (code: string) => joinedBy('\u3000\uff0d\u3000')(digitsFrom(0xff10)(code))],
])('a right code is right with %s', async (_title, write) => {
  const { totp, code, secret } = await openEnrolled()
  expect(await totp.verify(account, write(code(secret)))).toMatchObject({ ok: true })
})

const hostile: readonly (readonly [string, (code: string) => unknown])[] = [
  ['a number', Number],
  ['a big integer', BigInt],
  ['a list of its digits', (code) => [...code]],
  ['an object that turns into it', (code) => ({ toString: () => code, length: 6 })],
  ['a String object', (code) => new String(code)],
  ['nothing', () => undefined],
  ['null', () => null],
  ['an empty text', () => ''],
  ['five digits', (code) => code.slice(1)],
  ['seven digits', (code) => `${code}0`],
  ['a digit before it', (code) => `0${code}`],
  ['letters', () => 'abcdef'],
  ['a sign', (code) => `+${code}`],
  ['a minus sign', (code) => `\u2212${code}`],
  ['a full stop in the middle', joinedBy('.')],
  ['an underscore in the middle', joinedBy('_')],
  ['a combining mark on a digit', joinedBy('\u0301')],
  ['a hexadecimal number', () => '0x1234'],
  ['an exponent', () => '1234e2'],
  ['superscript digits', (code) => code.replace(/[0-9]/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit)))],
  ['digits in circles', (code) => code.replace(/[0-9]/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'.charAt(Number(digit)))],
  ['Chinese numerals', (code) => code.replace(/[0-9]/g, (digit) => '〇一二三四五六七八九'.charAt(Number(digit)))],
  ['digits of a keypad of emoji', (code) => code.replace(/[0-9]/g, '$&\ufe0f\u20e3')],
  ['letters that look like digits', (code) => code.replace(/[0-9]/g, (digit) => 'OlZЗЧSбTBg'.charAt(Number(digit)))],
  ['Roman numerals', () => 'ⅠⅡⅢⅣⅤⅥ'],
  ['a NUL behind it', (code) => `${code}\0`],
  ['so many spaces that it is no code', (code) => code.padStart(101)],
  ['ten kilobytes of digits', () => '1'.repeat(10_000)],
  ['a megabyte of mathematical digits', () => '\u{1d7ff}'.repeat(500_000)],
  ['a megabyte of marks of direction around it', (code) => `${'\u200f'.repeat(1_000_000)}${code}`],
  ['it twice', (code) => code + code],
]

test.each(hostile)('a malformed code is refused as wrong and counted: %s', async (_title, write) => {
  const { totp, code, secret, documents } = await openEnrolled()
  const before = await uncountedOf(documents)
  expect(await totp.verify(account, write(code(secret)) as string)).toEqual(refused('wrong'))
  expect(await failuresOf(documents)).toBe(1)
  expect(await uncountedOf(documents)).toEqual(before)
})

test.each(hostile)('a malformed code does not confirm an enrolment: %s', async (_title, write) => {
  const { totp, code } = openTotp()
  const { secret } = await totp.enroll(account, 'ada@example.com')
  expect(await totp.confirm(account, write(code(secret)) as string)).toEqual(refused('wrong'))
  expect(await totp.find(account)).toBeNull()
})

test('of all texts only the right code is accepted, and no text throws', async () => {
  const { totp, secret, code } = await openEnrolled({ maxFailures: 1_000_000 })
  const right = [-1, 0, 1].map((step) => code(secret, step))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\d ]{6,8}$/)), async (text) => {
      const isRight = text.length <= 100 && right.includes(text.replace(/\s/g, ''))
      fc.pre(!isRight)
      expect(await totp.verify(account, text)).toEqual(refused('wrong'))
    }),
  )
})
