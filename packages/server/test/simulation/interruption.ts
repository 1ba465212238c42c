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
  /** Whether all other calls wait meanwhile. */
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
    if (isPlace(at, { held, calls }, next)) {
      held = next
      if (at?.isAlone) return { finding, held, calls }
    } else {
      calls = count(at, calls, next)
      proceedAt(course, climate, index)
    }
  }
}

const isCounted = (at: Interruption | null, { machine, effect }: Waiting): boolean =>
  machine === at?.machine && effect !== undefined

const isPlace = (at: Interruption | null, { held, calls }: Pick<Halt, 'held' | 'calls'>, next: Waiting): boolean =>
  held === null && at !== null && isCounted(at, next) && calls[at.at] === at.after && isOf(at.at, next)

const noCalls: Calls = { call: 0, write: 0, other: 0 }

function count(at: Interruption | null, calls: Calls, next: Waiting): Calls {
  if (!isCounted(at, next)) return calls
  const { call, write, other } = calls
  return {
    call: call + Number(isOf('call', next)),
    write: write + Number(isOf('write', next)),
    other: other + Number(isOf('other', next)),
  }
}

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
