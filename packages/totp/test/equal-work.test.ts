import { HOTP } from 'otpauth/bare'
import { afterEach, expect, test, vi } from 'vitest'
import { account, openEnrolled } from './open-totp.ts'

afterEach(() => void vi.restoreAllMocks())

type Opened = Awaited<ReturnType<typeof openEnrolled>>

/** What a verification computes: codes, and boxes that are opened. Everything is computed as ever, and counted. */
async function workOf(verify: (opened: Opened) => Promise<unknown>) {
  const opened = await openEnrolled()
  opened.advance(5)
  const codes = vi.spyOn(HOTP, 'generate')
  const boxes = vi.spyOn(process.getBuiltinModule('node:crypto'), 'createDecipheriv')
  await verify(opened)
  const work = { codes: codes.mock.calls.length, boxes: boxes.mock.calls.length }
  vi.restoreAllMocks()
  return work
}

const otherLastDigit = (code: string) => code.slice(0, 5) + (code.endsWith('1') ? '2' : '1')

test.each<[string, (opened: Opened) => Promise<unknown>]>([
  ['right', ({ totp, code, secret }) => totp.verify(account, code(secret))],
  ['right, of the step before', ({ totp, code, secret }) => totp.verify(account, code(secret, -1))],
  ['right, of the step after', ({ totp, code, secret }) => totp.verify(account, code(secret, 1))],
  ['wrong', ({ totp, wrong, secret }) => totp.verify(account, wrong(secret))],
  ['wrong in the last digit', ({ totp, code, secret }) => totp.verify(account, otherLastDigit(code(secret)))],
  ['too old', ({ totp, code, secret }) => totp.verify(account, code(secret, -2))],
])('a code that is %s takes three codes and one box to verify', async (_title, verify) => {
  expect(await workOf(verify)).toEqual({ codes: 3, boxes: 1 })
})

test('a code that was used takes as much as one that was not', async () => {
  const used = async ({ totp, code, secret }: Opened) => {
    await totp.verify(account, code(secret))
    await totp.verify(account, code(secret))
  }
  expect(await workOf(used)).toEqual({ codes: 6, boxes: 2 })
})
