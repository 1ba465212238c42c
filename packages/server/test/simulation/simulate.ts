import { turn } from '../platform/native-work.ts'
import { createBytes } from '../platform/random-bytes.ts'
import { type Course, createCourse } from './course.ts'
import type { Deed } from './deeds/deed.ts'
import { type Climate, drawClimate, makeMove, pickMove } from './moves.ts'
import { findEndings, findOutage } from './oracle/endings.ts'
import { drawHabits, finalPlans, planNext } from './people/habits.ts'
import type { Person } from './people/person.ts'
import type { Plan, Scene } from './people/plan.ts'
import { openTown, type Plant } from './town.ts'
import { type Choices, drawChoices, type Moves } from './world/choices.ts'
import { enterWorld, quiescence } from './world/platform.ts'
import { createWorldStores } from './world/stores.ts'
import { createWorld } from './world/world.ts'

export interface Run {
  /** What the oracle found; null: nothing. */
  readonly finding: string | null
  /** What happened, a line each. */
  readonly diary: readonly string[]
  readonly deeds: readonly Deed[]
  /** The decisions, for a repetition. */
  readonly moves: Moves
  readonly steps: number
}

export interface RunOptions extends Plant {
  readonly seed: string
  /** Decisions instead of those of the seed. */
  readonly choices?: Choices
}

/** Runs a world of the seed until everybody is done, or the oracle finds something. */
export async function simulate({ seed, choices = drawChoices(seed), around, ...plant }: RunOptions): Promise<Run> {
  // Between two worlds, Node.js frees what it keeps outside of JavaScript.
  await turn()
  const world = createWorld(choices)
  const leave = enterWorld(world, createBytes(seed))
  try {
    const stores = createWorldStores(world.now)
    const town = await openTown(world, around ? around(stores, world) : stores, seed, plant)
    const course = createCourse(world, town)
    const finding = (await live(course, drawClimate(choices))) ?? (await findEndings({ ...course, stores }))
    return {
      ...{ finding, deeds: course.deeds, moves: choices.moves, steps: course.steps() },
      get diary() {
        return world.diary()
      },
    }
  } finally {
    leave()
  }
}

/** Lets everything happen that the climate has, and at the end calmly what shows the state of every account. */
async function live(course: Course, climate: Climate): Promise<string | null> {
  const { world, town, deeds } = course
  const scene = { choices: world.choices, people: town.people, now: world.now }
  const habits = drawHabits(world.choices)
  const found = await go(course, climate, () => {
    if (deeds.length >= climate.deeds) return null
    const again = world.choices.chance(climate.again) ? course.again() : null
    return again ?? planNext(scene, habits)
  })
  if (found !== null) return found
  for (const { machine } of town.processes)
    Object.assign(machine, { skewMs: 0, failing: 0, silentUntil: 0, isDoomed: false })
  const calm = {
    ...climate,
    fail: 0,
    cut: 0,
    silence: 0,
    upset: 0,
    kill: 0,
    pass: 0,
    skew: 0,
    sweep: 0,
    atOnce: 1,
    start: 1000,
  }
  const plans = finalDeeds(scene)
  const calmFrom = deeds.length
  return (await go(course, calm, () => plans.next().value ?? null)) ?? findOutage(deeds.slice(calmFrom))
}

function* finalDeeds(scene: Scene): Generator<readonly [Person, Plan], undefined> {
  for (const person of scene.people) for (const plan of finalPlans(scene, person)) yield [person, plan]
}

type Next = () => readonly [Person, Plan] | null

/** Makes one move after another, each once everything that follows from the last has happened. */
async function go(course: Course, climate: Climate, next: Next): Promise<string | null> {
  let isOver = false
  for (;;) {
    await quiescence()
    course.step()
    course.world.pass(1)
    course.world.choices.nextMove()
    const finding = course.finding()
    if (finding !== null) return finding
    const busy = course.underWay().length
    const move = pickMove(course.world, climate, { canStart: !isOver && busy < climate.atOnce, isBusy: busy > 0 })
    if (move === null) return busy > 0 ? `deed ${course.underWay()[0]?.number} was never answered` : null
    if (move === 'start') isOver = !begin(course, next)
    else makeMove(course, climate, move).forEach(course.lose)
  }
}

function begin(course: Course, next: Next): boolean {
  const planned = next()
  if (planned) course.begin(...planned)
  return planned !== null
}
