import type { Course } from './course.ts'
import type { Life } from './go.ts'
import { settle } from './go.ts'
import { proceedAt } from './moves.ts'
import type { Machine } from './world/machine.ts'
import type { Waiting } from './world/world.ts'

/** The place at which a process is interrupted: a store call, or a write. */
export interface Interruption {
  readonly machine: Machine
  readonly at: 'call' | 'write'
  /** The number of calls, or writes, that the process makes before. */
  readonly after: number
}

/** The number of store calls that a process has made, and how many of them were writes. */
export interface Calls {
  readonly call: number
  readonly write: number
}

/** The call that is held back, or null, and the calls that were made before. */
export interface Halt {
  readonly finding: string | null
  readonly held: Waiting | null
  readonly calls: Calls
}

/** Calls of counters are many, and few faults lie between two of them. */
const isCounted = ({ effect, label }: Waiting): boolean => effect !== undefined && !label.startsWith('counters.')
const isWrite = ({ label }: Waiting): boolean => /\.(insert|replace|remove|removeByOwner|append)$/.test(label)

/** Runs all calls in their order, except the call that is held back, until none is left. */
export async function goOn(
  { course, climate, watch }: Life,
  at: Interruption | null,
  held: Waiting | null,
): Promise<Halt> {
  const { world } = course
  let calls: Calls = { call: 0, write: 0 }
  for (;;) {
    await settle(course)
    const finding = course.finding() ?? watch()
    const index = world.waiting.findIndex((waiting) => waiting !== held)
    const next = world.waiting[index]
    if (finding !== null || (!next && !fireNext(course, held))) return { finding, held, calls }
    if (!next) continue
    if (at && next.machine === at.machine && isCounted(next)) {
      if (held === null && isAt(at, calls, next)) {
        held = next
        continue
      }
      calls = { call: calls.call + 1, write: calls.write + Number(isWrite(next)) }
    }
    proceedAt(course, climate, index)
  }
}

const isAt = ({ at, after }: Interruption, calls: Calls, next: Waiting): boolean =>
  calls[at] === after && (at === 'call' || isWrite(next))

/** Whether there was a timer for which somebody waits who is not held back, or that is due soon. */
function fireNext({ world, underWay }: Course, held: Waiting | null): boolean {
  const timer = world.nextTimer()
  if (timer === null) return false
  const isAwaited = underWay().some(({ machine }) => machine !== held?.machine.name)
  if (!isAwaited && timer.dueAt > world.now() + 1000) return false
  world.fire(timer)
  return true
}
