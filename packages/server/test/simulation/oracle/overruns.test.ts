import { describe, expect, test } from 'vitest'
import type { Claims, Credential, Outcome } from '../deeds/deed.ts'
import {
  account,
  done,
  findIn,
  type Imagined,
  initial,
  look,
  opens,
  password,
  refused,
  session,
  toDeed,
} from './imagined-deeds.ts'
import { findUnaccounted } from './told.ts'

const first = session('first')
const second = session('second')
const signedIn: Imagined = { what: 'sign in', claims: { opens: true }, outcome: opens(first), during: [0, 1] }
const stepsUp: Imagined = {
  what: 'step up',
  claims: { presents: first, revokes: first },
  outcome: opens(second),
  during: [10, 40],
}
const changesAll: Claims = { sets: { password: 'a new one' }, revokes: 'all' }
const reset: Imagined = { what: 'reset', claims: changesAll, during: [20, 30] }
const signsIn: Imagined = {
  what: 'sign in',
  claims: { password, opens: true },
  outcome: opens(first),
  during: [0, 40],
}

describe('a credential that was issued during a change of the account', () => {
  test('is revoked if the change would have revoked the session it came from, and its use is a finding', () => {
    expect(findIn([signedIn, stepsUp, reset, look(second)])).toContain('"reset" (deed 3) had revoked it')
  })

  test('may be valid if the session it came from was still being issued', () => {
    const reset: Imagined = { what: 'reset', claims: changesAll, during: [0, 30] }
    expect(findIn([signedIn, stepsUp, reset, look(second)])).toBeNull()
  })

  test('is revoked if it was issued for the password that the change replaced', () => {
    expect(findIn([signsIn, reset, look(first)])).toContain('"reset" (deed 2) had revoked it')
  })

  test('may be valid if the password was set again', () => {
    const back: Imagined = { what: 'change', claims: { sets: { password } }, during: [32, 38] }
    expect(findIn([signsIn, reset, back, look(first)])).toBeNull()
  })
})

describe('access of an application for one session', () => {
  const own = session('own', 'line')
  const app: Credential = { key: 'app', kind: 'app', account, secret: 'token', lineage: 'line' }
  const opened: Imagined = { what: 'sign in', claims: { opens: true }, outcome: opens(own), during: [0, 1] }
  const allowed: Imagined = {
    what: 'allow',
    claims: { presents: own },
    outcome: { kind: 'done', appCode: 'code' },
    during: [2, 3],
  }
  const signOut: Imagined = { what: 'sign out', claims: { revokes: own, endsLineage: 'line' }, during: [20, 30] }

  test.each([
    ['before the sign-out', [4, 5]],
    ['during the sign-out', [10, 40]],
  ] as const)('is revoked by the sign-out if its code was redeemed %s', (_when, during) => {
    const redeemed: Imagined = { what: 'redeem', claims: { code: 'code' }, outcome: opens(app), during }
    expect(findIn([opened, allowed, redeemed, signOut, look(app)])).toContain('"sign out" (deed 4) had revoked it')
  })

  const redeemed: Imagined = { what: 'redeem', claims: { code: 'code' }, outcome: opens(app), during: [4, 5] }
  const vain: Imagined = { ...signOut, outcome: { kind: 'done', isVain: true } }
  const failed: Imagined = { ...signOut, outcome: { kind: 'failed', code: 'STORE_UNAVAILABLE' }, during: [10, 15] }

  test('goes on after a sign-out of a session that another one had replaced', () => {
    const stepsUp: Imagined = {
      what: 'step up',
      claims: { presents: own, revokes: own, opens: true },
      during: [10, 15],
    }
    expect(findIn([opened, allowed, redeemed, stepsUp, vain, look(app)])).toBeNull()
  })

  test('is revoked by a sign-out that finds no session any more, as nothing has replaced it', () => {
    expect(findIn([opened, allowed, redeemed, failed, vain, look(app)])).toContain('"sign out" (deed 5) had revoked it')
  })

  test('may be refused once somebody has stopped to act as another account in the session', () => {
    const acts: Imagined = { ...signOut, what: 'act no more', claims: { mayEndLineage: 'line' } }
    const lookRefused: Imagined = { ...look(app), outcome: refused('credential') }
    expect(findIn([opened, allowed, redeemed, acts, lookRefused])).toBeNull()
    expect(findIn([opened, allowed, redeemed, lookRefused])).toBe('refused, and nobody has revoked it')
  })

  test('goes on if the session is perhaps over for another reason, such as a change of the account', () => {
    const change: Imagined = { ...failed, what: 'change', claims: { sets: { password: 'another' } } }
    expect(findIn([opened, allowed, redeemed, change, vain, look(app)])).toBeNull()
  })
})

describe('a deed without an answer and without a row in the audit log', () => {
  const lost: Imagined = {
    what: 'sign out',
    claims: { revokes: first, audited: 'session.ended' },
    outcome: { kind: 'lost' },
    during: [10, 20],
  }
  const people = [{ account, id: account }] as unknown as Parameters<typeof findUnaccounted>[2]['people']
  const findWith = (outcome: Outcome): string | null => {
    const deeds = [signedIn, lost, { ...look(first), outcome }].map(toDeed)
    return findUnaccounted(deeds, [], { people, initial })
  }

  test('is a finding if a later answer shows its effect', () => {
    expect(findWith(refused('credential'))).toContain('deed 2 (sign out) has no row in the audit log')
  })

  test('is no finding if no later answer shows an effect', () => {
    expect(findWith(done)).toBeNull()
  })
})
