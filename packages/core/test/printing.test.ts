import type { LatchkeyEvent } from '@latchkey/core'
import { createEmitter, type FailureFacts } from '@latchkey/core/internal'
import { afterEach, describe, expect, test, vi } from 'vitest'

type Known = LatchkeyEvent | (LatchkeyEvent & FailureFacts)

afterEach(() => void vi.restoreAllMocks())

function printed(decision: object): readonly unknown[][] {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  createEmitter<Known>({ now: () => 12 })(decision as LatchkeyEvent)
  return error.mock.calls
}

describe('without a listener', () => {
  test('a decision is not printed', () => {
    expect(printed({ type: 'sign-in.failed', reason: 'wrong-password' })).toEqual([])
  })

  test('a failure is printed as JSON, with its cause and the stack of that', () => {
    const cause = new Error('10.0.0.7 is down')
    const [[line, shown] = []] = printed({ type: 'session.touch-failed', failure: 'Error', cause })
    expect(line).toMatch(/^latchkey: \{"type":"session\.touch-failed","at":12,.*"failure":"Error"\}$/)
    expect(shown).toBe(cause)
  })

  test('the cause of a failed mail is printed without its message, which may quote the mail', () => {
    const cause = new Error('550 ada@example.com\n    at https://example.com/reset?token=secret\n    at x')
    const [[line, shown] = []] = printed({ type: 'mail.failed', failure: 'Error', cause })
    expect(String(line) + String(shown)).not.toMatch(/ada|token=/)
    expect(shown).toContain('printing.test')
  })

  test('the cause of a failed mail is not printed if it has no stack or its message was changed', () => {
    const changed = new Error('550 ada@example.com')
    expect(changed.stack).toContain('ada@')
    changed.message = 'another one'
    for (const cause of ['550 ada@example.com', { to: 'ada@example.com' }, changed]) {
      const [[line, shown] = []] = printed({ type: 'mail.failed', failure: 'unknown', cause })
      expect([String(line).includes('ada@'), shown]).toEqual([false, ''])
      vi.restoreAllMocks()
    }
  })
})
