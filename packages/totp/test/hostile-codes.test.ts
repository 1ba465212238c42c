import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { account, failuresOf, openEnrolled, openTotp, refused, uncountedOf } from './open-totp.ts'

const spaced = (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`

test.each([
  ['a space in the middle', spaced],
  ['spaces all around', (code: string) => `  ${spaced(code)} `],
  ['a line feed behind it', (code: string) => `${code}\n`],
  ['a no-break space', (code: string) => `${code.slice(0, 3)}\u00a0${code.slice(3)}`],
])('a right code is right with %s', async (_title, write) => {
  const { totp, code, secret } = await openEnrolled()
  expect(await totp.verify(account, write(code(secret)))).toMatchObject({ ok: true })
})

const fullWidth = (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
const arabic = (code: string) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit)))

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
  ['a dash in the middle', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
  ['a hexadecimal number', () => '0x1234'],
  ['an exponent', () => '1234e2'],
  ['full-width digits', fullWidth],
  ['Arabic digits', arabic],
  ['a NUL behind it', (code) => `${code}\0`],
  ['a zero-width space in it', (code) => `${code.slice(0, 3)}\u200b${code.slice(3)}`],
  ['so many spaces that it is no code', (code) => `${' '.repeat(40)}${code}`],
  ['ten kilobytes of digits', () => '1'.repeat(10_000)],
  ['it twice', (code) => code + code],
]

test.each(hostile)('what is no code is wrong and counts: %s', async (_title, write) => {
  const { totp, code, secret, documents } = await openEnrolled()
  const before = await uncountedOf(documents)
  expect(await totp.verify(account, write(code(secret)) as string)).toEqual(refused('wrong'))
  expect(await failuresOf(documents)).toBe(1)
  expect(await uncountedOf(documents)).toEqual(before)
})

test.each(hostile)('what is no code confirms nothing: %s', async (_title, write) => {
  const { totp, code } = openTotp()
  const { secret } = await totp.enroll(account, 'ada@example.com')
  expect(await totp.confirm(account, write(code(secret)) as string)).toEqual(refused('wrong'))
  expect(await totp.find(account)).toBeNull()
})

test('no text but the right code is accepted, and none throws', async () => {
  const { totp, secret, code } = await openEnrolled({ maxFailures: 1_000_000 })
  const right = [-1, 0, 1].map((step) => code(secret, step))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\d ]{6,8}$/)), async (text) => {
      const isRight = text.length <= 32 && right.includes(text.replace(/\s/g, ''))
      fc.pre(!isRight)
      expect(await totp.verify(account, text)).toEqual(refused('wrong'))
    }),
  )
})
