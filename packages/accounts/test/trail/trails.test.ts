import { type AuditedEvent, auditedKinds, createAuditRecorder } from '@latchkey/accounts/internal'
import { createAuditLog } from '@latchkey/audit'
import type { LatchkeyEvent } from '@latchkey/core'
import { createEmitter } from '@latchkey/core/internal'
import { createMemoryAuditStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

interface NoteDeleted extends LatchkeyEvent {
  readonly type: 'note.deleted'
  readonly noteId: number
}

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(9) }] as const
const kinds = { 'note.deleted': 'owner' } as const
const now = () => 1_790_000_000_000

function createBench() {
  const log = createAuditLog({ store: createMemoryAuditStore(), secrets, now })
  const events: NoteDeleted[] = []
  const emit = createEmitter<NoteDeleted>({ now, onEvent: (event) => events.push(event) })
  return { trail: createAuditRecorder<NoteDeleted>({ emit, audit: { log, secrets }, kinds }), log, events }
}

describe('a trail of decisions', () => {
  const valid = { emit: () => undefined, audit: null, kinds }

  test.each<[message: string, change: object]>([
    ['"emit" must be a function, as createEmitter returns it', { emit: undefined }],
    ['"kinds" must say who does what is decided', { kinds: undefined }],
    ['"kinds" must say who does what is decided', { kinds: null }],
    ['"kinds" must say who does what is decided', { kinds: { 'note.deleted': 'Owner' } }],
    ['"kinds" must say who does what is decided', { kinds: { ...kinds, 'note.read': undefined } }],
    ['"audit" must be { log, secrets }, or null', { audit: undefined }],
    ['createAuditRecorder has no option "kind". Did you mean "kinds"?', { kind: {} }],
  ])('is refused: %s', (message, change) => {
    const make = () => createAuditRecorder({ ...valid, ...change } as never)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('needs no audit log', () => {
    expect(() => createAuditRecorder(valid)).not.toThrow()
  })
})

test('members with a column, and members without a place in a row, are not details', async () => {
  const { trail, log } = createBench()
  const shown = { address: '203.0.113.9', userAgent: 'Mozilla/5.0', requestId: 'r-1', actorId: 'acc_admin' }
  const unwritten = { at: 5, device: 'dev_1', deviceToken: 'secret', durationMs: 3, locale: 'de', cause: 'refused' }
  const said = { type: 'note.deleted', accountId: 'acc_1', noteId: 7, ...shown, ...unwritten } as const
  await trail.record(said)
  const { items } = await log.list({ first: 10 })
  expect(items).toMatchObject([{ kind: 'note.deleted', accountId: 'acc_1', ...shown, details: { noteId: 7 } }])
  expect(Object.keys(items[0]?.details ?? {})).toEqual(['noteId'])
})

test('the owner is the actor unless the row names another, and an unknown actor otherwise', async () => {
  const log = createAuditLog({ store: createMemoryAuditStore(), secrets, now })
  const trail = createAuditRecorder<AuditedEvent>({
    emit: () => undefined,
    audit: { log, secrets },
    kinds: auditedKinds,
  })
  for (const type of Object.keys(auditedKinds)) await trail.record({ type, accountId: 'acc_1' } as never)
  const { items } = await log.list({ first: 100 })
  expect(
    items
      .filter(({ actorId }) => actorId === 'acc_1')
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual([
    'account.deleted',
    'api-key.created',
    'api-key.revoked',
    'email-change.confirmed',
    'email-change.requested',
    'email-change.undone',
    'email.verified',
    'factor.added',
    'factor.removed',
    'password.changed',
    'password.reset',
    'provider.linked',
    'provider.unlinked',
    'recovery-code.used',
    'session.created',
    'session.ended',
    'sessions.ended',
  ])
  expect(items.filter(({ actorId }) => actorId !== 'acc_1').map(({ actorId }) => actorId)).toEqual(Array(16).fill(null))
})
