import { describe, expect, test } from 'vitest'
import type { Claims, Outcome } from '../deeds/deed.ts'
import { email, findIn, type Imagined, look, opens, password, refused, session } from './imagined-deeds.ts'

const user = "the provider's ada"
const own = session('own')
const byProvider: Claims = { user, opens: true }
const links: Imagined = { what: 'link', claims: { sets: { user } }, during: [0, 10] }
const unlinks: Imagined = { what: 'unlink', claims: { sets: { user: null }, revokes: 'all' }, during: [20, 30] }

const closes: Imagined = { what: 'disable', claims: { sets: { status: 'disabled' } }, during: [10, 11] }

interface Shown {
  readonly claims: Claims
  readonly outcome: Outcome
}

/** A sign-in after all others. */
const signsIn = ({ claims, outcome }: Shown): Imagined => ({ what: 'sign in', claims, outcome, during: [50, 60] })

describe('a sign-in with a provider', () => {
  test.each<[string, readonly Imagined[], Outcome, string]>([
    ['before its user was linked', [], opens(own), 'accepted as a user of the provider that is not linked'],
    [
      'after its user was unlinked',
      [links, unlinks],
      opens(own),
      'accepted as a user of the provider that is not linked',
    ],
    ['after the account was closed', [links, closes], opens(own), 'accepted although it was not active'],
    ['that is refused with a linked user', [links], refused('credentials'), 'the linked user of an active account'],
  ])('%s is a finding', (_when, before, outcome, finding) => {
    expect(findIn([...before, signsIn({ claims: byProvider, outcome })])).toContain(finding)
  })

  test.each<[string, readonly Imagined[], Outcome]>([
    ['with a linked user', [links], opens(own)],
    ['that opens an account', [], { kind: 'done' }],
    ['that is refused without a link', [links, unlinks], refused('credentials')],
  ])('%s is none', (_when, before, outcome) => {
    const isOpening = outcome.kind === 'done' && !outcome.credential
    const claims = isOpening ? { ...byProvider, sets: { user, status: 'active' as const } } : byProvider
    expect(findIn([...before, signsIn({ claims, outcome })])).toBeNull()
  })

  test('during the unlinking of its user opens nothing that the unlinking leaves open', () => {
    const meanwhile: Imagined = { what: 'sign in', claims: byProvider, outcome: opens(own), during: [15, 25] }
    expect(findIn([links, meanwhile, unlinks, look(own)])).toContain('"unlink" (deed 3) had revoked it')
  })
})

test('a user of a provider that nobody has linked and that is refused as linked is a finding', () => {
  const refusal: Imagined = { ...links, outcome: refused('PROVIDER_IN_USE') }
  expect(findIn([refusal])).toContain('a user of the provider that nobody has linked')
  expect(findIn([links, { ...refusal, during: [20, 30] }])).toBeNull()
})

test('a link that is refused as the last way in is a finding, as codes by mail are another', () => {
  expect(findIn([links, { ...unlinks, outcome: refused('LAST_SIGN_IN_METHOD') }])).toContain('the last way in')
})

test('a link that was added with a credential that a change has revoked meanwhile goes with the change', () => {
  const opened: Imagined = { what: 'sign in', claims: { opens: true, password }, outcome: opens(own), during: [0, 1] }
  const linked: Imagined = { ...links, claims: { ...links.claims, presents: own }, during: [10, 40] }
  const accepted = signsIn({ claims: byProvider, outcome: opens(session('next')) })
  expect(findIn([opened, linked, unlinks, accepted])).toContain('not linked')
  // Whoever unlinks in the same session may come first: the session goes on until another one has replaced it.
  const inSession: Imagined = { ...unlinks, claims: { ...unlinks.claims, presents: own } }
  expect(findIn([opened, linked, inSession, accepted])).toBeNull()
})

describe('a sign-in with a code by mail', () => {
  const asks: Imagined = {
    what: 'ask',
    claims: {},
    outcome: { kind: 'done', mailedChallenge: 'asked' },
    during: [0, 5],
  }
  const shown: Claims = { mailed: { challenge: 'asked', code: '12345678' }, mailedAt: 6, email, opens: true }
  const changes: Imagined = { what: 'change', claims: { revokes: 'all' }, during: [10, 20] }
  const accepted: Imagined = { what: 'sign in', claims: shown, outcome: opens(own), during: [25, 30] }

  test.each<[string, readonly Imagined[], Shown, string]>([
    ['that nobody has asked for', [], { claims: shown, outcome: opens(own) }, 'nobody has asked for'],
    ['after a change', [asks, changes], { claims: shown, outcome: opens(own) }, 'after "change" (deed 2)'],
    [
      'that was shown before',
      [asks, accepted],
      { claims: shown, outcome: opens(own) },
      'accepted twice, first by deed 2',
    ],
    [
      'after its time',
      [asks],
      { claims: { ...shown, mailedAt: -600_000 }, outcome: opens(own) },
      'accepted after its time',
    ],
    [
      'for another address',
      [asks],
      { claims: { ...shown, email: 'bo@example.com' }, outcome: opens(own) },
      'accepted with another address',
    ],
    [
      'of a closed account',
      [closes, { ...asks, during: [12, 14] }],
      { claims: shown, outcome: opens(own) },
      'not active',
    ],
    ['that is refused', [asks], { claims: shown, outcome: refused('credentials') }, 'not used before was refused'],
  ])('%s is a finding', (_when, before, last, finding) => {
    expect(findIn([...before, signsIn(last)])).toContain(finding)
  })

  test.each<[string, readonly Imagined[], Outcome]>([
    ['once', [asks], opens(own)],
    ['that is refused after a change', [asks, changes], refused('credentials')],
    ['that is refused the second time', [asks, accepted], refused('credentials')],
  ])('%s is none', (_when, before, outcome) => {
    expect(findIn([...before, signsIn({ claims: shown, outcome })])).toBeNull()
  })

  test('during a change opens nothing that the change leaves open', () => {
    const meanwhile: Imagined = { ...accepted, during: [8, 40] }
    expect(findIn([asks, meanwhile, changes, look(own)])).toContain('"change" (deed 3) had revoked it')
  })
})
