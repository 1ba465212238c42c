import type { Choices } from './world/choices.ts'
import type { Machine } from './world/machine.ts'
import type { World } from './world/world.ts'

/** How the next of the waiting calls is picked. Zero for all: each is as likely as the others. */
export interface Schedule {
  /** How often the call that waits longest goes on, in percent: two who do the same do each step of it one after the other. */
  readonly turn: number
  /** How often the process that ran last runs on, in percent: few changes of process are enough for most faults. */
  readonly stay: number
  /** How often a write waits until nothing else does, in percent: then all that was read is old. */
  readonly meet: number
}

export const evenly: Schedule = { turn: 0, stay: 0, meet: 0 }

export function drawSchedule({ below }: Choices): Schedule {
  const schedules: readonly Schedule[] = [
    evenly,
    { ...evenly, stay: 90 },
    { ...evenly, meet: 90 },
    { ...evenly, turn: 97 },
  ]
  return schedules[below(schedules.length)] ?? evenly
}

const writes = /\.(insert|replace|remove|removeByOwner)$/
const lastOf = new WeakMap<World, Machine>()

/** Returns the place of the call that goes on. */
export function pickWaiting(world: World, { turn, stay, meet }: Schedule): number {
  const { choices, waiting } = world
  if (turn > 0 && choices.chance(turn)) return 0
  const last = lastOf.get(world)
  const all = waiting.map((_call, index) => index)
  const own = stay > 0 && choices.chance(stay) ? all.filter((index) => waiting[index]?.machine === last) : []
  const some = own.length > 0 ? own : all
  const reads = meet > 0 && choices.chance(meet) ? some.filter((index) => !isWrite(world, index)) : []
  const possible = reads.length > 0 ? reads : some
  const index = possible[choices.below(possible.length)] ?? 0
  const picked = waiting[index]
  if (picked) lastOf.set(world, picked.machine)
  return index
}

const isWrite = ({ waiting }: World, index: number): boolean => writes.test(waiting[index]?.label ?? '')
