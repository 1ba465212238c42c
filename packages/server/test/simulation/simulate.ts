import { turn } from '../platform/native-work.ts'
import { createBytes } from '../platform/random-bytes.ts'
import { type Course, createCourse } from './course.ts'
import type { Deed } from './deeds/deed.ts'
import { type Climate, calm, drawClimate, drawWindow, makeMove, pickMove } from './moves.ts'
import { findEndings, findOutage } from './oracle/endings.ts'
import { drawFocus, type Focus, planOne, prepare } from './people/focus.ts'
import { drawHabits, finalPlans, planNext } from './people/habits.ts'
import type { Person } from './people/person.ts'
import type { Plan, Scene } from './people/plan.ts'
import { openTown, type Plant, type Town } from './town.ts'
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
    const finding = (await live(course)) ?? (await findEndings({ ...course, stores }))
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

/** How many worlds in a hundred are about a few deeds of one person. */
const narrow = 70

/** Lets everything happen that the world has, and at the end calmly what shows the state of every account. */
async function live(course: Course): Promise<string | null> {
  const { world, town, deeds } = course
  const scene = { choices: world.choices, people: town.people, now: world.now }
  const focus = world.choices.chance(narrow) ? drawFocus(world.choices, town.people) : null
  const found = focus ? await liveNarrowly(course, scene, focus) : await liveWidely(course, scene)
  if (found !== null) return found
  calmDown(town)
  const plans = finalDeeds(scene, deeds)
  const calmFrom = deeds.length
  const last = { ...calm, deeds: 0, start: 1000 }
  return (await go(course, last, () => plans.next().value ?? null)) ?? findOutage(deeds.slice(calmFrom))
}

function liveWidely(course: Course, scene: Scene): Promise<string | null> {
  const climate = drawClimate(scene.choices)
  const habits = drawHabits(scene.choices)
  return go(course, climate, () => {
    if (course.deeds.length >= climate.deeds) return null
    const again = scene.choices.chance(climate.again) ? course.again() : null
    return again ?? planNext(scene, habits)
  })
}

/** Prepares a few deeds without any failure, lets them happen at once, and so again. */
async function liveNarrowly(course: Course, scene: Scene, focus: Focus): Promise<string | null> {
  const climate = drawWindow(scene.choices)
  for (let round = 0; round < focus.rounds; round++) {
    const before = prepare(scene, focus)
    calmDown(course.town)
    const unready = await go(course, { ...calm, deeds: 0 }, () => before.next().value ?? null)
    if (unready !== null) return unready
    if (round > 0 && scene.choices.chance(50)) makeMove(course, climate, 'pass')
    let left = focus.deeds
    const found = await go(course, climate, () => {
      if (left-- <= 0) return null
      const again = scene.choices.chance(climate.again) ? course.again() : null
      return again ?? planOne(scene, focus)
    })
    if (found !== null) return found
  }
  return null
}

function calmDown({ processes }: Town): void {
  for (const { machine } of processes)
    Object.assign(machine, { skewMs: 0, failing: 0, silentUntil: 0, isDoomed: false })
}

/** What shows the state of those to whom something has happened. */
function* finalDeeds(scene: Scene, deeds: readonly Deed[]): Generator<readonly [Person, Plan], undefined> {
  const busy = new Set(deeds.map(({ account }) => account))
  for (const person of scene.people.filter(({ account }) => busy.has(account)))
    for (const plan of finalPlans(scene, person)) yield [person, plan]
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
