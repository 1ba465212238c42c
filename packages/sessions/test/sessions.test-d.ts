import type { SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, createSessions, type RefreshFamily, type Session } from '@latchkey/sessions'
import type { RecordStore } from '@latchkey/store'
import { expectTypeOf, test } from 'vitest'

declare const records: RecordStore
declare const secrets: SecretKeys
declare const stores: { readonly records: RecordStore; readonly counters: object }

test('a session is made here and nowhere else', () => {
  const plain = {
    key: 'se_1',
    subject: 'acc_1',
    epoch: 0,
    factors: [],
    device: { userAgent: null, address: null },
    persistent: true,
    createdAt: 0,
    lastUsedAt: 0,
    expiresAt: 0,
  }
  // @ts-expect-error an object of the same shape proves nothing
  const session: Session = plain
  // @ts-expect-error a family is not a session
  const mixed: Session = {} as RefreshFamily
  return [session, mixed]
})

test('a whole object of stores can be handed over', () => {
  createSessions(stores)
  createRefreshTokens({ ...stores, secrets })
})

test('refresh tokens need secrets', () => {
  // @ts-expect-error without secrets there is nothing to derive a successor with
  createRefreshTokens({ records })
  // @ts-expect-error a text is not a secret
  createRefreshTokens({ records, secrets: 'correct horse' })
})

test('the verbs tell the answer', () => {
  const sessions = createSessions({ records })
  const tokens = createRefreshTokens({ records, secrets })
  expectTypeOf(sessions.read).returns.resolves.toEqualTypeOf<Session | null>()
  expectTypeOf(sessions.revokeAll).returns.resolves.toBeNumber()
  expectTypeOf(tokens.read).returns.resolves.toEqualTypeOf<RefreshFamily | null>()
  expectTypeOf(tokens.revoke).returns.resolves.toBeBoolean()
})
