import { inspect } from 'node:util'
import type { LatchkeyEvent } from '@latchkey/core'
import { createEmitter, type FailureFacts, toEvent } from '@latchkey/core/internal'
import { describe, expect, test, vi } from 'vitest'

interface NoteDeleted extends LatchkeyEvent {
  readonly type: 'note.deleted'
  readonly accountId: string
  readonly noteId: number
}
interface NoteLost extends LatchkeyEvent, FailureFacts {
  readonly type: 'note.lost'
}

const lost = { type: 'note.lost', failure: 'ECONNREFUSED', cause: new Error('10.0.0.7 is down') } as const

describe('an event', () => {
  test('has its details and every fact, which is null if it is not known', () => {
    expect(toEvent<NoteDeleted>({ type: 'note.deleted', accountId: 'acc_1', noteId: 7, durationMs: 2 }, 12)).toEqual({
      type: 'note.deleted',
      at: 12,
      accountId: 'acc_1',
      sessionKey: null,
      address: null,
      device: null,
      requestId: null,
      durationMs: 2,
      noteId: 7,
    })
  })

  test('has its time from the clock of its emitter', () => {
    const heard: LatchkeyEvent[] = []
    const emit = createEmitter<NoteDeleted>({ onEvent: (event) => heard.push(event), now: () => 1_800_000_000_000 })
    emit({ type: 'note.deleted', accountId: 'acc_1', noteId: 7 })
    expect(heard).toMatchObject([{ type: 'note.deleted', at: 1_800_000_000_000 }])
  })

  test('shows its cause by name only', () => {
    const event = toEvent<NoteLost>(lost, 12)
    expect(JSON.stringify(event) + inspect(event) + JSON.stringify({ ...event })).not.toContain('10.0.0.7')
    expect(event.cause).toBe(lost.cause)
    expect({ ...event }).not.toHaveProperty('cause')
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('the log is full'))],
  ])('is emitted without an error when its listener %s', async (_what, onEvent) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const emit = createEmitter<NoteLost>({ onEvent, now: () => 12 })
    expect(() => emit(lost)).not.toThrow()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
