import type { Course } from './course.ts'
import type { Life } from './go.ts'
import { settle } from './go.ts'
import { proceedAt } from './moves.ts'
import type { Machine } from './world/machine.ts'
import type { Waiting } from './world/world.ts'

/** Where a process is interrupted: at the store call, or the write, before which it has made so many others. */
export interface Interruption {
  readonly machine: Machine
  readonly at: 'call' | 'write'
  readonly after: number
}

/** The number of store calls that a process has made, and how many of them were writes. */
export interface Calls {
  readonly call: number
  readonly write: number
}

/** How it came to rest: a call that is held back, or null, and how many calls were made before. */
export interface Halt {
  readonly finding: string | null
  readonly held: Waiting | null
  readonly calls: Calls
}

/** Counters are many, and what happens between two of them is seldom anything else. */
const isCounted = ({ effect, label }: Waiting): boolean => effect !== undefined && !label.startsWith('counters.')
const isWrite = ({ label }: Waiting): boolean => /\.(insert|replace|remove|removeByOwner|append)$/.test(label)

/** Lets everything go on in its order until nothing is left to do, but for the call that is held back. */
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
