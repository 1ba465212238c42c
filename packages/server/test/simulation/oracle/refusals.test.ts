import type { StoredAuditRow } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Claims, unseen } from '../deeds/deed.ts'
import { account, email, findIn, type Imagined, password, refused, session, toDeed } from './imagined-deeds.ts'
import { findUnauditedRefusal } from './told.ts'

const address = '198.51.100.7'
const guess: Claims = { email, address, password: 'nobody has this password', auditedIfRefused: 'sign-in.failed' }

/** Deeds one after the other, two seconds each. */
const oneByOne = (deeds: readonly Omit<Imagined, 'during'>[]): readonly Imagined[] =>
  deeds.map((deed, index) => ({ ...deed, during: [2000 * index, 2000 * index + 5] }))

describe('an attempt that is throttled', () => {
  const wrong = { what: 'mistype', claims: guess, outcome: refused('credentials') }
  const right = { what: 'sign in', claims: { email, address, password } }
  const throttled = { ...right, outcome: refused('ATTEMPTS_RATE_LIMITED') }

  test('is a finding after four wrong passwords, and right ones between them', () => {
    const attempts = [wrong, right, wrong, wrong, right, wrong, throttled]
    expect(findIn(oneByOne(attempts))).toBe('refused as one too many, and only 4 others may count')
  })

  /** Four wrong passwords, a right one, and a moment later one that is throttled. */
  const soonAfter = (rightAt: number): readonly Imagined[] => [
    ...oneByOne([wrong, wrong, wrong, wrong]),
    { ...right, during: [rightAt, rightAt + 5] },
    { ...throttled, during: [rightAt + 20, rightAt + 25] },
  ]

  test('may come of a right password of the last second of a window, which stays in its count', () => {
    expect(findIn(soonAfter(899_500))).toBeNull()
    expect(findIn(soonAfter(1_799_500))).toBeNull()
  })

  test('is a finding right after a right password in the middle of a window', () => {
    expect(findIn(soonAfter(10_000))).toBe('refused as one too many, and only 4 others may count')
  })

  test('is expected after five wrong passwords', () => {
    expect(findIn(oneByOne([wrong, wrong, wrong, wrong, wrong, throttled]))).toBeNull()
  })
})

describe('a wrong password in a session', () => {
  const inSession = (of: Partial<Claims>) => ({
    what: 'change the password wrongly',
    claims: { ...guess, presents: session('open'), ...of },
    outcome: refused('credentials'),
  })

  test('counts beside the wrong passwords of sign-ins', () => {
    const wrong = { what: 'mistype', claims: guess, outcome: refused('credentials') }
    expect(findIn(oneByOne([wrong, wrong, wrong, wrong, wrong, inSession({})]))).toBe(
      '6 passwords were tested in one window',
    )
  })

  test('does not count for an address that the account has no longer', () => {
    const wrong = { what: 'mistype', claims: guess, outcome: refused('credentials') }
    const moved = { what: 'confirm', claims: { sets: { email: 'ada@new.example.com' } } }
    expect(findIn(oneByOne([wrong, wrong, wrong, wrong, wrong, moved, inSession({})]))).toBeNull()
  })
})

describe('a refused password', () => {
  const deeds = oneByOne([{ what: 'mistype', claims: guess, outcome: refused('credentials') }]).map(toDeed)
  const row = { kind: 'sign-in.failed', accountId: account, at: 3 } as StoredAuditRow

  test('needs a row in the audit log from the time of its attempt', () => {
    expect(findUnauditedRefusal(deeds, [row])).toBeNull()
    const finding = 'deed 1 (mistype) was refused without a row "sign-in.failed" in the audit log'
    expect(findUnauditedRefusal(deeds, [{ ...row, at: 8 }])).toBe(finding)
    expect(findUnauditedRefusal(deeds, [{ ...row, kind: 'session.created' }])).toBe(finding)
  })
})

test('the digits of an app are accepted once, and once more as those of the next app', () => {
  const confirms = (secret: string): Claims => ({
    ...{ secondFactor: '378527', app: { secret, step: 7 }, sets: { totp: secret, codes: '' } },
  })
  const first: Imagined = { what: 'confirm the app', claims: confirms('first'), during: [0, 5] }
  expect(findIn([first, { ...first, during: [1, 6] }])).toContain('the secondFactor was accepted twice')
  expect(findIn([first, { ...first, claims: confirms('next'), during: [10, 15] }])).toBeNull()
})

describe('a recovery code', () => {
  const confirmed = { what: 'confirm the app', claims: { sets: { totp: 'secret', codes: 'one two' } } }
  const answer = { what: 'answer', claims: { secondFactor: 'one', opens: true } }

  test('is a finding if it is accepted after the owner got other codes, or nobody has seen the new ones', () => {
    for (const codes of ['three four', unseen]) {
      const renewed = { what: 'renew the codes', claims: { sets: { codes } } }
      expect(findIn(oneByOne([confirmed, renewed, answer]))).toBe(
        'accepted with a recovery code that the account does not have',
      )
    }
  })

  test('may be accepted while it is not known whether the codes were renewed', () => {
    const lost = { what: 'renew the codes', claims: { sets: { codes: unseen } }, outcome: { kind: 'lost' } as const }
    expect(findIn(oneByOne([confirmed, lost, answer]))).toBeNull()
  })
})
