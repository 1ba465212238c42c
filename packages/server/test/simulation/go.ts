import type { Course } from './course.ts'
import { type Climate, type Move, makeMove, pickMove } from './moves.ts'
import type { Person } from './people/person.ts'
import type { Plan } from './people/plan.ts'
import { quiescence } from './world/platform.ts'
import type { World } from './world/world.ts'

export interface Life {
  readonly course: Course
  readonly climate: Climate
  /** Returns what is wrong with a stream, or null. */
  readonly watch: () => string | null
}

/** Returns the next plan, its person, and the place of a process; without a place: in any process. `null`: there is none. */
export type Next = () => readonly [person: Person, plan: Plan, place?: number] | null

/** Makes one move after another, each once everything that follows from the last has happened. */
export async function go({ course, climate, watch }: Life, next: Next): Promise<string | null> {
  let isOver = false
  for (;;) {
    await settle(course)
    const finding = course.finding() ?? watch()
    if (finding !== null) return finding
    const move = drawMove(course, climate, isOver)
    if (move === null) return findUnanswered(course)
    if (move === 'start') isOver = !begin(course, next)
    else makeMove(course, climate, move).forEach(course.lose)
  }
}

/** Lets time pass if there are streams: whatever waits goes on first, and then the next timer. */
export async function rest({ course, climate, watch }: Life, milliseconds: number): Promise<string | null> {
  const { world, town } = course
  if (!town.board) return null
  const until = world.now() + milliseconds
  for (;;) {
    await settle(course)
    const finding = course.finding() ?? watch()
    if (finding !== null) return finding
    const timer = world.nextTimer()
    if (world.waiting.length > 0) makeMove(course, climate, 'proceed')
    else if (timer !== null && timer.dueAt <= until) world.fire(timer)
    else break
  }
  world.pass(Math.max(0, until - world.now()))
  return null
}

/** Lets everything happen that follows from the last move. */
export async function settle({ world, step }: Course): Promise<void> {
  await quiescence()
  step()
  world.pass(1)
  world.choices.nextMove()
}

function drawMove({ world, town, underWay }: Course, climate: Climate, isOver: boolean): Move | null {
  const busy = underWay().length
  if (town.board !== null && isOver && busy === 0 && isQuiet(world)) return null
  return pickMove(world, climate, { canStart: !isOver && busy < climate.atOnce, isBusy: busy > 0 })
}

/** Whether nothing goes on but the watch over open streams, for which the world would never come to rest. */
function isQuiet({ waiting, timers, now }: World): boolean {
  return waiting.length === 0 && timers().every(({ everyMs, dueAt }) => everyMs !== null || dueAt > now() + 1000)
}

function findUnanswered({ underWay }: Course): string | null {
  const [deed] = underWay()
  return deed ? `deed ${deed.number} was never answered` : null
}

function begin(course: Course, next: Next): boolean {
  const planned = next()
  if (planned) course.begin(...planned)
  return planned !== null
}
