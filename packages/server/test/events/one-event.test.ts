import { allowNativeDelivery } from '@latchkey/accounts'
import type { ServerEvent } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { createBench, newPassword, password } from '../support/bench.ts'
import type { Answer, Visitor } from '../support/visitor.ts'

const wrong = 'otters sing loudly at noon'

/** What is asked, by whom, and the one event that says so. */
const decisions: readonly (readonly [string, (visitor: Visitor, email: string) => Promise<Answer>, object])[] = [
  ['a sign-in', (visitor, email) => visitor.signIn(email, password), { type: 'session.created', delivery: 'session' }],
  [
    'a sign-in with tokens',
    (visitor, email) => visitor.signIn(email, password, 'TOKEN'),
    { type: 'session.created', delivery: 'token' },
  ],
  ['a refused sign-in', (visitor, email) => visitor.signIn(email, wrong), { type: 'sign-in.failed' }],
  ['signing out', (visitor) => visitor.ask('mutation { signOut }'), { type: 'session.ended', reason: 'sign-out' }],
  [
    'a change of the password',
    (visitor) =>
      visitor.ask('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }', {
        input: { currentPassword: password, newPassword },
      }),
    { type: 'password.changed' },
  ],
  [
    'a confirmed password',
    (visitor) =>
      visitor.ask('mutation ($old: String!) { confirmPassword(input: { currentPassword: $old }) { status } }', {
        old: password,
      }),
    { type: 'password.confirmed' },
  ],
  ['ending all sessions', (visitor) => visitor.ask('mutation { revokeAllSessions }'), { type: 'sessions.ended' }],
]

describe('one decision is one event,', () => {
  test.each(decisions)('%s, with the account, the session, the request and the time that it took', async (...row) => {
    const [what, ask, expected] = row
    const { signedIn, events } = createBench()
    const visitor = await signedIn()
    events.length = 0
    const { headers } = await ask(visitor, visitor.account.email)
    expect(events).toMatchObject([
      { ...expected, accountId: visitor.account.id, requestId: headers.get('x-request-id') },
    ])
    const [event] = events as [ServerEvent]
    if (what.startsWith('a ')) expect(event.durationMs).toBeGreaterThan(0)
    if (event.type !== 'sign-in.failed') expect(event.sessionKey).toMatch(/^(se|rt)_/)
  })

  test('a refresh, and a copied token that revokes its family', async () => {
    const { insert, visitor, events, advance } = createBench({
      options: { sessions: { nativeDelivery: allowNativeDelivery } },
    })
    const { id: accountId, email } = await insert()
    const phone = visitor()
    const first = (await phone.signIn(email, password, 'NATIVE')).data.signIn.refreshToken
    const refresh = (token: string) =>
      visitor().ask('mutation ($token: String!) { refresh(input: { refreshToken: $token }) { refreshToken } }', {
        token,
      })
    events.length = 0
    await refresh(first)
    advance(60)
    await refresh(first)
    await refresh(first)
    expect(events).toMatchObject([
      {
        type: 'family.refreshed',
        accountId,
        sessionKey: first.split('.')[0],
        clientId: 'first-party',
        replayed: false,
      },
      { type: 'family.reused', accountId, sessionKey: first.split('.')[0], clientId: 'first-party' },
      { type: 'refresh.failed', accountId: null, sessionKey: null, reason: 'unknown' },
    ])
  })
})
