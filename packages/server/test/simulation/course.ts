import type { Deed, Outcome, Yield } from './deeds/deed.ts'
import { judge } from './oracle/rules.ts'
import type { Person } from './people/person.ts'
import type { Plan } from './people/plan.ts'
import type { Town } from './town.ts'
import { runIn } from './world/machine.ts'
import { deadlineMs } from './world/stores.ts'
import type { World } from './world/world.ts'

/** The deeds of a run and what they came to. */
export interface Course {
  readonly world: World
  readonly town: Town
  readonly deeds: Deed[]
  readonly steps: () => number
  readonly step: () => number
  /** Starts a deed in the process at the place; omitted: in any. */
  readonly begin: (person: Person, plan: Plan, place?: number) => void
  readonly underWay: () => readonly Deed[]
  /** What somebody is doing right now, as another tab or a second click would do it again. */
  readonly again: () => readonly [Person, Plan] | null
  /** What was found in deeds that have ended. */
  readonly finding: () => string | null
  readonly lose: (machine: string) => void
  /** Something that the machine was told had failed has taken effect by now. */
  readonly overtake: (machine: string) => void
}

export function createCourse(world: World, town: Town): Course {
  const deeds: Deed[] = []
  let underWay: readonly Deed[] = []
  const plans: (readonly [Person, Plan])[] = []
  let steps = 0
  let finding: string | null = null
  const end = (deed: Deed, outcome: Outcome): void => {
    deed.outcome = outcome
    underWay = underWay.filter((other) => other !== deed)
    deed.end = steps
    deed.endedAt = world.now()
    const code =
      'code' in outcome ? ` ${outcome.code}` : outcome.kind === 'done' && outcome.isChallenged ? ' challenged' : ''
    world.write(`${deed.machine} deed ${deed.number} of ${deed.account}: ${deed.what}: ${outcome.kind}${code}`)
    const found = judge(deed, deeds, town.initial)
    if (found !== null) finding ??= `deed ${deed.number} (${deed.what}): ${found}`
    if (deed.claims.lingers && outcome.kind !== 'done' && outcome.kind !== 'refused')
      Object.assign(deed, { end: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY })
  }
  return {
    world,
    town,
    deeds,
    steps: () => steps,
    step: () => ++steps,
    underWay: () => underWay,
    finding: () => finding,
    again() {
      const repeated = underWay[world.choices.below(underWay.length)]
      const [person, plan] = (repeated && plans[repeated.number - 1]) ?? []
      if (!person || !plan) return null
      return [person, (world.choices.chance(70) && plan.alike?.()) || plan]
    },
    begin(person, plan, place = world.choices.below(town.processes.length)) {
      const { what, claims, ask } = plan
      const process = town.processes[place]
      if (!process) return
      const { machine, service } = process
      const deed: Deed = {
        ...{ number: deeds.length + 1, what, account: person.account, machine: machine.name, claims },
        ...{ start: steps, startedAt: world.now(), end: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY },
        ...{ outcome: { kind: 'under way' }, waitedMs: 0 },
      }
      const idleBefore = machine.idleMs
      deeds.push(deed)
      underWay = [...underWay, deed]
      plans.push([person, plan])
      world.write(`${deed.machine} deed ${deed.number} of ${deed.account}: ${what} starts`)
      const settle = (outcome: Outcome): void => {
        steps++
        deed.waitedMs = machine.idleMs - idleBefore
        if (deed.outcome.kind === 'under way') end(deed, outcome)
      }
      runIn(machine, () => ask(service())).then(
        (result) => settle(toOutcome(result)),
        (error: unknown) => settle(toFailure(error)),
      )
    },
    lose(machine) {
      for (const deed of underWay) if (deed.machine === machine) end(deed, { kind: 'lost' })
    },
    overtake(machine) {
      for (const deed of deeds) {
        const isUnknown = deed.outcome.kind === 'failed' || deed.outcome.kind === 'lost'
        if (deed.machine === machine && isUnknown && deed.endedAt + deadlineMs >= world.now())
          deed.end = Math.max(deed.end, steps + 1)
      }
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
  if (String(code).startsWith('STORE_') || name === 'PasswordError') return { kind: 'failed', code: code ?? '' }
  return { kind: 'failed', code: `UNEXPECTED ${error instanceof Error ? error.stack : String(error)}` }
}
