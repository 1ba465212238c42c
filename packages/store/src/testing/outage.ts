import { describeFailure, pause } from '@latchkey/core/internal'
import { holds } from './assertions.ts'

/** A method by name, and a call of it. */
export type Call = readonly [name: string, call: () => Promise<unknown>]

export interface Outcome {
  readonly name: string
  /** Whether the call resolved. */
  readonly answered: boolean
  /** The name and code of the error; the type of the value if it is not an error. */
  readonly code: string
  readonly milliseconds: number
}

/** A busy machine lets timers fire late. */
const allowanceMs = 1000

/** Makes all calls at once and returns their outcomes, even if a call never settles. */
export function outcomesOf(calls: readonly Call[], deadlineMs: number): Promise<readonly Outcome[]> {
  // A call that takes twice what is allowed has no deadline at all.
  const patienceMs = 2 * (deadlineMs + allowanceMs)
  return Promise.all(calls.map((call) => outcomeOf(call, patienceMs)))
}

async function outcomeOf([name, call]: Call, patienceMs: number): Promise<Outcome> {
  const startedAt = performance.now()
  const [answered, code] = await Promise.race([
    call().then(
      () => [true, ''] as const,
      (error: unknown) => [false, codeOf(error)] as const,
    ),
    pause(patienceMs).then(() => [false, 'no answer at all'] as const),
  ])
  return { name, answered, code, milliseconds: performance.now() - startedAt }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return describeFailure(error)
  return `${error.name} ${'code' in error ? String(error.code) : 'without a code'}`
}

export function withinDeadline(outcomes: readonly Outcome[], deadlineMs: number): void {
  for (const { name, milliseconds } of outcomes) {
    const rule = `${name} must end within ${deadlineMs} ms (and ${allowanceMs} ms for a busy machine)`
    holds(milliseconds <= deadlineMs + allowanceMs, `${rule}: it took ${Math.round(milliseconds)} ms`)
  }
}
