import { turn } from '../platform/native-work.ts'
import { createBytes } from '../platform/random-bytes.ts'
import { createCourse } from './course.ts'
import type { Deed } from './deeds/deed.ts'
import { live, meetingPlaceOf } from './lives.ts'
import { findEndings } from './oracle/endings.ts'
import { openTown, type Plant } from './town.ts'
import { type Choices, drawChoices, type Moves } from './world/choices.ts'
import { enterWorld } from './world/platform.ts'
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
    const meeting = meetingPlaceOf(numberOf(seed))
    const kind = { hasServers: meeting === null, hasOtherWays: meeting?.hasOtherWays === true }
    const town = await openTown(world, around ? around(stores, world) : stores, seed, { ...plant, ...kind })
    const course = createCourse(world, town)
    const finding = (await live(course, meeting)) ?? (await findEndings({ ...course, stores }))
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

/** The number of the seed; one of its letters if it has none. */
function numberOf(seed: string): number {
  return Number.parseInt(/[0-9]+/.exec(seed)?.[0] ?? '', 10) || seed.length
}
