import type { Course } from './course.ts'
import type { Life } from './go.ts'
import { settle } from './go.ts'
import { proceedAt } from './moves.ts'
import type { Machine } from './world/machine.ts'
import type { Waiting } from './world/world.ts'

/** The place at which a process is interrupted: a call of a store other than the counters, a write to it, or another call. */
export interface Interruption {
  readonly machine: Machine
  readonly at: keyof Calls
  /** The number of such calls that the process makes before. */
  readonly after: number
  /** Whether nothing else goes on meanwhile. */
  readonly isAlone?: boolean
}

/** The number of store calls that a process has made, of each kind. */
export interface Calls {
  readonly call: number
  readonly write: number
  /** Reads, and calls of counters. */
  readonly other: number
}

/** The call that is held back, or null, and the calls that were made before. */
export interface Halt {
  readonly finding: string | null
  readonly held: Waiting | null
  readonly calls: Calls
}

const kinds: { readonly [Kind in keyof Calls]: RegExp } = {
  // Calls of counters are many, and few faults lie between two of them.
  call: /^(?!counters\.)/,
  write: /\.(insert|replace|remove|removeByOwner|append)$/,
  other: /\.(?!(insert|replace|remove|removeByOwner|append)$)[a-zA-Z]+$/,
}
const isOf = (kind: keyof Calls, { label }: Waiting): boolean => kinds[kind].test(label)

/** Runs all calls in their order until none is left, except the call that is kept back and the one at the interruption. */
export async function goOn(
  { course, climate, watch }: Life,
  at: Interruption | null,
  kept: Waiting | null,
): Promise<Halt> {
  const { world } = course
  let calls = noCalls
  let held: Waiting | null = null
  for (;;) {
    await settle(course)
    const finding = course.finding() ?? watch()
    const index = world.waiting.findIndex((waiting) => waiting !== held && waiting !== kept)
    const next = world.waiting[index]
    if (finding !== null || (!next && !fireNext(course, held ?? kept))) return { finding, held, calls }
    if (!next) continue
    if (at && next.machine === at.machine && next.effect !== undefined) {
      if (held === null && calls[at.at] === at.after && isOf(at.at, next)) {
        held = next
        if (at.isAlone) return { finding, held, calls }
        continue
      }
      calls = addCall(calls, next)
    }
    proceedAt(course, climate, index)
  }
}

const noCalls: Calls = { call: 0, write: 0, other: 0 }

const addCall = ({ call, write, other }: Calls, next: Waiting): Calls => ({
  call: call + Number(isOf('call', next)),
  write: write + Number(isOf('write', next)),
  other: other + Number(isOf('other', next)),
})

export const sumOf = (one: Calls, two: Calls): Calls => ({
  call: one.call + two.call,
  write: one.write + two.write,
  other: one.other + two.other,
})

/** Whether there was a timer for which somebody waits who is not held back, or that is due soon. */
function fireNext({ world, underWay }: Course, held: Waiting | null): boolean {
  const timer = world.nextTimer()
  if (timer === null) return false
  const isAwaited = underWay().some(({ machine }) => machine !== held?.machine.name)
  if (!isAwaited && timer.dueAt > world.now() + 1000) return false
  world.fire(timer)
  return true
}
