import { describe, expect, test } from 'vitest'
import type { Claims, Outcome } from '../deeds/deed.ts'
import { lifetimes } from '../service/terms.ts'
import { email, findIn, type Imagined, look, opens, password, refused, session, toDeed } from './imagined-deeds.ts'
import { findUntold } from './told.ts'

const own = session('own')
const passkey = 'the passkey of ada'
const signs: Imagined = {
  what: 'let it sign',
  claims: {},
  outcome: { kind: 'done', ceremony: 'asked' },
  during: [30, 31],
}
const registers: Imagined = { what: 'register', claims: { sets: { passkey } }, during: [0, 10] }
const removes: Imagined = { what: 'remove', claims: { sets: { passkey: null }, revokes: 'all' }, during: [20, 25] }
const closes: Imagined = { what: 'disable', claims: { sets: { status: 'disabled' } }, during: [26, 27] }
const shown: Claims = { passkey: { id: passkey, ceremony: 'asked' }, opens: true }
const asked: Outcome = { kind: 'done', isChallenged: true, challenge: 'a question' }

/** After all others. */
const last = (claims: Claims, outcome: Outcome): Imagined => ({ what: 'sign in', claims, outcome, during: [50, 60] })

describe('a sign-in with a passkey', () => {
  test.each<[string, readonly Imagined[], Outcome, string]>([
    ['that was never registered', [signs], opens(own), 'a passkey that is not registered'],
    ['that was removed', [registers, removes, signs], opens(own), 'a passkey that is not registered'],
    ['of a closed account', [registers, closes, signs], opens(own), 'not active'],
    ['that is followed by a question', [registers, signs], asked, 'asked for after a passkey'],
    ['that has signed for nobody', [registers], opens(own), 'nobody has asked for'],
    [
      'that has signed long before',
      [registers, { ...signs, during: [-1000 * lifetimes.ceremony, -1000 * lifetimes.ceremony + 1] }],
      opens(own),
      'accepted after its time',
    ],
    [
      'that has signed for another sign-in',
      [registers, signs, { ...last(shown, opens(session('first'))), during: [40, 41] }],
      opens(own),
      'accepted twice, first by deed 3',
    ],
    ['that is refused', [registers, signs], refused('credentials'), 'the registered passkey of an active account'],
  ])('%s is a finding', (_when, before, outcome, finding) => {
    expect(findIn([...before, last(shown, outcome)])).toContain(finding)
  })

  test.each<[string, readonly Imagined[], Outcome]>([
    ['once', [registers, signs], opens(own)],
    ['that is refused after a removal', [registers, removes, signs], refused('credentials')],
    ['that is refused after the account was closed', [registers, closes, signs], refused('credentials')],
    [
      'that is refused during a change',
      [registers, signs, { what: 'change', claims: { revokes: 'all' }, during: [45, 55] }],
      refused('credentials'),
    ],
    [
      'that is refused the second time',
      [registers, signs, { ...last(shown, opens(session('first'))), during: [40, 41] }],
      refused('credentials'),
    ],
    [
      'that is refused after its time',
      [registers, { ...signs, during: [-1000 * lifetimes.ceremony, -1000 * lifetimes.ceremony + 1] }],
      refused('credentials'),
    ],
  ])('%s is none', (_when, before, outcome) => {
    expect(findIn([...before, last(shown, outcome)])).toBeNull()
  })

  test('during the removal of the passkey opens nothing that the removal leaves open', () => {
    const meanwhile: Imagined = { ...last(shown, opens(own)), during: [15, 22] }
    const before = { ...signs, during: [12, 13] } as const
    expect(findIn([registers, before, meanwhile, removes, look(own)])).toContain('"remove" (deed 4) had revoked it')
  })
})

describe('the passkey as a second factor', () => {
  const byPassword: Claims = { email, password, opens: true }
  const isAsked: Imagined = { what: 'ask', claims: byPassword, outcome: asked, during: [30, 31] }
  const answers: Claims = { passkey: { id: passkey }, answers: 'a question', opens: true }

  test('is asked for before a credential is issued', () => {
    expect(findIn([registers, last(byPassword, opens(own))])).toContain('before the second factor')
    expect(findIn([registers, last(byPassword, asked)])).toBeNull()
    expect(findIn([last(byPassword, asked)])).toContain('never set up')
    expect(findIn([registers, removes, last(byPassword, asked)])).toContain('never set up')
  })

  test('is not asked for in a device that has shown it', () => {
    const trusted: Outcome = { ...opens(own), kind: 'done', trusted: 'a device' }
    const trusts: Imagined = { what: 'answer', claims: answers, outcome: trusted, during: [35, 40] }
    const known: Claims = { ...byPassword, trusts: 'a device' }
    expect(findIn([registers, isAsked, trusts, last(known, asked)])).toContain('in a device that had shown it')
    expect(findIn([registers, isAsked, trusts, last(known, opens(session('next')))])).toBeNull()
  })

  test('answers the question if it is registered', () => {
    expect(findIn([registers, isAsked, last(answers, opens(own))])).toBeNull()
    expect(findIn([registers, isAsked, last(answers, refused('credentials'))])).toContain('was refused')
    expect(findIn([isAsked, last(answers, refused('credentials'))])).toBeNull()
    expect(findIn([isAsked, last(answers, opens(own))])).toContain('not registered')
  })

  test('stands in what the account shows', () => {
    const shows = (enrolled: readonly string[]): Imagined => last({}, { kind: 'done', enrolled })
    expect(findIn([registers, shows([])])).toContain('the account shows no passkey')
    expect(findIn([registers, shows(['passkey'])])).toBeNull()
  })

  test('may be asked for once it was registered, whatever was shown before', () => {
    const showsNone: Imagined = { what: 'look', claims: {}, outcome: { kind: 'done', enrolled: [] }, during: [1, 2] }
    const later: Imagined = { ...registers, during: [10, 20] }
    expect(findIn([showsNone, later, last(byPassword, asked)])).toBeNull()
  })
})

test('a registered passkey can be removed, and one that is not is not excluded', () => {
  const removal: Claims = { sets: { passkey: null }, presents: own }
  expect(findIn([registers, last(removal, refused('missing'))])).toContain('has no passkey, and one was registered')
  expect(findIn([registers, closes, last(removal, refused('missing'))])).toBeNull()
  expect(findIn([last(removal, refused('missing'))])).toBeNull()
  expect(findIn([last({}, refused('excluded'))])).toContain('a passkey is excluded')
  expect(findIn([registers, last({}, refused('excluded'))])).toBeNull()
})

test('a change that meets the registration of a passkey, which is refused, may have revoked what was open', () => {
  const opened: Imagined = { what: 'sign in', claims: { opens: true, password }, outcome: opens(own), during: [0, 1] }
  const claims: Claims = { sets: { passkey }, revokes: 'all', presents: session('other') }
  const refusal: Imagined = { what: 'register', claims, outcome: refused('credentials'), during: [10, 20] }
  const beside: Imagined = { what: 'look', claims: {}, during: [15, 16] }
  const refusedLook: Imagined = { ...look(own), outcome: refused('credential') }
  expect(findIn([opened, refusal, beside, refusedLook])).toBeNull()
  expect(findIn([opened, refusal, refusedLook])).toContain('nobody has revoked it')
})

test('of two removals of a passkey at once, one brings the mail', () => {
  const mails = { audited: 'factor.removed', mails: 'factor-removed' }
  const removal = { ...removes, claims: { ...removes.claims, ...mails } }
  const other = { what: 'reset', claims: { sets: { passkey: null }, revokes: 'all' }, during: [22, 23] } as const
  expect(findUntold([removal].map(toDeed), [])).toContain('no mail "factor-removed"')
  expect(findUntold([removal, other].map(toDeed), [])).toBeNull()
})
