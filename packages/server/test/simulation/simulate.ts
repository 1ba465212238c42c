import { type Climate, drawClimate, makeMove, pickMove } from './moves.ts'
import type { Deed, Outcome, Yield } from './oracle/deed.ts'
import { findEndings } from './oracle/endings.ts'
import { judge } from './oracle/rules.ts'
import { finalPlans, planNext } from './people/habits.ts'
import type { Person } from './people/person.ts'
import type { Plan } from './people/plan.ts'
import { openTown, type Town } from './town.ts'
import { type Choices, createBytes, drawChoices } from './world/choices.ts'
import { runIn } from './world/machine.ts'
import { enterWorld, quiescence } from './world/platform.ts'
import { createWorldStores, type WorldStores } from './world/stores.ts'
import { createWorld, type World } from './world/world.ts'

export interface Run {
  /** What the oracle found; null: nothing. */
  readonly finding: string | null
  /** What happened, a line each. */
  readonly diary: readonly string[]
  readonly deeds: readonly Deed[]
  /** The decisions, for a repetition. */
  readonly drawn: readonly number[]
  readonly steps: number
}

export interface RunOptions {
  readonly seed: string
  /** Decisions instead of those of the seed. */
  readonly choices?: Choices
  /** Stands around the shared stores, to plant a fault. */
  readonly around?: (stores: WorldStores, world: World) => WorldStores
}

/** Runs a world of the seed until everybody is done, or the oracle finds something. */
export async function simulate({ seed, choices = drawChoices(seed), around }: RunOptions): Promise<Run> {
  const world = createWorld(choices)
  const leave = enterWorld(world, createBytes(seed))
  try {
    const stores = createWorldStores(world.now)
    const town = await openTown(world, around ? around(stores, world) : stores, seed)
    const course = createCourse(world, town)
    const finding = (await live(course, drawClimate(choices))) ?? (await findEndings({ ...course, stores }))
    return { finding, diary: world.diary, deeds: course.deeds, drawn: choices.drawn, steps: course.steps() }
  } finally {
    leave()
  }
}

/** The deeds of a run and what they came to. */
export interface Course {
  readonly world: World
  readonly town: Town
  readonly deeds: Deed[]
  readonly steps: () => number
  readonly step: () => number
  readonly begin: (person: Person, plan: Plan) => void
  readonly underWay: () => readonly Deed[]
  /** What was found in deeds that have ended. */
  readonly finding: () => string | null
  readonly lose: (machine: string) => void
}

function createCourse(world: World, town: Town): Course {
  const deeds: Deed[] = []
  let steps = 0
  let finding: string | null = null
  const end = (deed: Deed, outcome: Outcome): void => {
    deed.outcome = outcome
    deed.end = steps
    deed.endedAt = world.now()
    const code =
      'code' in outcome ? ` ${outcome.code}` : outcome.kind === 'done' && outcome.isChallenged ? ' challenged' : ''
    world.write(`${deed.machine} deed ${deed.number} of ${deed.account}: ${deed.what}: ${outcome.kind}${code}`)
    const found = judge(deed, deeds, town.initial)
    if (found !== null) finding ??= `deed ${deed.number} (${deed.what}): ${found}`
  }
  return {
    world,
    town,
    deeds,
    steps: () => steps,
    step: () => ++steps,
    underWay: () => deeds.filter(({ outcome }) => outcome.kind === 'under way'),
    finding: () => finding,
    begin(person, { what, claims, ask }) {
      const service = town.services[world.choices.below(town.services.length)]
      if (!service) return
      const deed: Deed = {
        ...{ number: deeds.length + 1, what, account: person.id, machine: service.machine.name, claims },
        ...{ start: steps, startedAt: world.now(), end: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY },
        outcome: { kind: 'under way' },
      }
      deeds.push(deed)
      world.write(`${deed.machine} deed ${deed.number} of ${deed.account}: ${what} starts`)
      const settle = (outcome: Outcome): void => {
        steps++
        if (deed.outcome.kind === 'under way') end(deed, outcome)
      }
      runIn(service.machine, () => ask(service)).then(
        (result) => settle(toOutcome(result)),
        (error: unknown) => settle(toFailure(error)),
      )
    },
    lose(machine) {
      for (const deed of deeds)
        if (deed.machine === machine && deed.outcome.kind === 'under way') end(deed, { kind: 'lost' })
    },
  }
}

function toOutcome(result: Yield | string): Outcome {
  if (typeof result === 'string') return { kind: 'refused', code: result }
  return result.isUnsure ? { kind: 'failed', code: 'unsure' } : { kind: 'done', ...result }
}

/** A refusal that is thrown, or an outage. Whatever else is thrown is a finding. */
function toFailure(error: unknown): Outcome {
  const { name, code } = error as { readonly name?: string; readonly code?: string }
  if (name === 'AccountsError') return { kind: 'refused', code: code ?? '' }
  if (code?.startsWith('STORE_') || name === 'PasswordError') return { kind: 'failed', code: code ?? '' }
  return { kind: 'failed', code: `UNEXPECTED ${error instanceof Error ? error.stack : String(error)}` }
}

/** Lets everything happen that the climate has, and at the end calmly what shows the state of every account. */
async function live(course: Course, climate: Climate): Promise<string | null> {
  const { world, town, deeds } = course
  const found = await go(course, climate, () => {
    if (deeds.length >= climate.deeds) return null
    return planNext({ choices: world.choices, people: town.people, now: world.now })
  })
  if (found !== null) return found
  for (const { machine } of town.services) machine.skewMs = 0
  const calm = { ...climate, fail: 0, kill: 0, pass: 0, skew: 0, atOnce: 1, start: 1000 }
  const plans = town.people.flatMap((person) => finalPlans(person).map((plan) => [person, plan] as const))
  return go(course, calm, () => plans.shift() ?? null)
}

type Next = () => readonly [Person, Plan] | null

async function go(course: Course, climate: Climate, next: Next): Promise<string | null> {
  const { world, town } = course
  let isOver = false
  for (;;) {
    await quiescence()
    course.step()
    world.pass(1)
    const finding = course.finding()
    if (finding !== null) return finding
    const busy = course.underWay().length
    const move = pickMove(world, climate, { canStart: !isOver && busy < climate.atOnce, isBusy: busy > 0 })
    if (move === null) return busy > 0 ? `deed ${course.underWay()[0]?.number} was never answered` : null
    if (move !== 'start') {
      const killed = makeMove(world, town, move)
      if (killed !== null) course.lose(killed)
      continue
    }
    const planned = next()
    if (planned) course.begin(...planned)
    else isOver = true
  }
}
