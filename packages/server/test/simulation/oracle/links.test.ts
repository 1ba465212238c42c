import { describe, expect, test } from 'vitest'
import { findIn, type Imagined, refused, session } from './imagined-deeds.ts'

const newEmail = 'ada@new.example.com'
const requests: Imagined = { what: 'request', claims: { newEmail }, during: [0, 10] }
const revokes: Imagined = {
  what: 'revoke a session',
  claims: { revokes: session('of a thief'), removesConfirms: true },
  during: [20, 30],
}
const confirms: Imagined = {
  what: 'confirm',
  claims: {
    link: 'token',
    mailedAt: 35,
    sets: { email: newEmail },
    revokes: 'others',
    audited: 'email-change.confirmed',
  },
  during: [40, 50],
}

describe('a change of address that is confirmed after another session was revoked', () => {
  test.each<[string, Imagined]>([
    ['was revoked', revokes],
    ['was gone already', { ...revokes, outcome: refused('missing') }],
  ])('is a finding if its only request was answered before the session %s', (_when, cancel) => {
    const finding = 'the link was accepted after deed 2 had cancelled its request'
    expect(findIn([requests, cancel, confirms])).toBe(finding)
  })

  test.each<[string, readonly Imagined[]]>([
    ['it was requested again since', [requests, revokes, { ...requests, during: [32, 34] }]],
    ['its request met the revocation', [{ ...requests, during: [0, 25] }, revokes]],
    ['a request is under way that may have brought the link', [requests, { ...requests, during: [5, 45] }, revokes]],
    ['the revocation is not answered', [requests, { ...revokes, outcome: { kind: 'failed', code: 'STORE' } }]],
    ['the revocation meets the confirmation', [requests, { ...revokes, during: [20, 45] }]],
  ])('is none if %s', (_why, before) => {
    expect(findIn([...before, confirms])).toBeNull()
  })
})

describe('a link that confirms a change of address and is refused', () => {
  const tries: Imagined = {
    what: 'meddle',
    claims: { removesConfirms: true },
    outcome: { kind: 'lost' },
    during: [5, 20],
  }
  const refusal: Imagined = { ...confirms, outcome: refused('link') }

  test('is a finding if nothing has cancelled its request', () => {
    expect(findIn([requests, refusal])).toBe('a link that nothing has overtaken was refused')
  })

  test('is none if a cancellation has met its request, before its mail has arrived', () => {
    expect(findIn([requests, tries, refusal])).toBeNull()
  })
})
