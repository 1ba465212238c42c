import type { Scenario } from './scenario.ts'
import type { Happening, Step } from './stage.ts'
import { createStates, type State } from './states.ts'

export interface ExploringOptions {
  /** What may happen once in a schedule, in place of a call that runs. @default [] */
  readonly faults?: readonly Exclude<Happening, 'runs'>[]
  /**
   * Whether each schedule is run from its beginning to its end. Otherwise a state is explored once, however many
   * schedules lead to it, and a step once from a state of its caller and of the stores; all schedules are counted.
   * @default false
   */
  readonly runsEach?: boolean
  /** After so many steps the first caller that can go on does, until all have ended. @default never */
  readonly branchesFor?: number
  /** Whether the first sentence ends the exploring. @default false */
  readonly stopsAtFirst?: boolean
}

export interface Explored {
  /** The complete schedules. */
  readonly schedules: bigint
  /** The different states, the last ones among them, or with `runsEach` the different beginnings of schedules. */
  readonly states: number
  /** The last states, or with `runsEach` the complete schedules. */
  readonly judged: number
  /** The numbers of calls that each caller makes, the fewest first. */
  readonly calls: Readonly<Record<string, readonly number[]>>
  /** The most calls that one caller waits for at once. */
  readonly atOnce: number
  /** The first schedule for each sentence that does not hold. */
  readonly found: ReadonlyMap<string, readonly Step[]>
}

/** Runs all schedules, depth first: each one starts anew, and repeats its first steps. */
export async function explore(scenario: Scenario, options: ExploringOptions = {}): Promise<Explored> {
  const { faults = [], runsEach = false, branchesFor = Number.POSITIVE_INFINITY, stopsAtFirst = false } = options
  const states = createStates(scenario, runsEach)
  const known = new Map<string, bigint>()
  const found = new Map<string, readonly Step[]>()
  const counted = { judged: 0, states: 0, atOnce: 0 }
  const calls = new Map(scenario.callers.map((caller) => [caller, new Set<number>()]))

  async function judge(state: State, taken: readonly Step[]): Promise<bigint> {
    counted.judged++
    for (const [name, numbers] of calls) numbers.add(taken.filter(({ caller }) => caller === name).length)
    const sentences = await states.judge(state)
    for (const sentence of sentences) if (!found.has(sentence)) found.set(sentence, taken)
    return 1n
  }

  /** Returns the number of schedules that begin with these steps. */
  async function visit(state: State, taken: readonly Step[]): Promise<bigint> {
    const before = known.get(state.id)
    if (before !== undefined) return before
    counted.states++
    counted.atOnce = Math.max(counted.atOnce, ...Object.values(state.callers).map(({ waiting }) => waiting.length))
    const steps = stepsOf(state, faults)
    let schedules = steps.length === 0 ? await judge(state, taken) : 0n
    for (const step of taken.length < branchesFor ? steps : steps.slice(0, 1)) {
      if (stopsAtFirst && found.size > 0) break
      schedules += await visit(await states.after(state, step, taken), [...taken, step])
    }
    if (!runsEach) known.set(state.id, schedules)
    return schedules
  }

  const schedules = await visit(await states.first(), [])
  return { ...counted, schedules, calls: toRanges(calls), found }
}

/** A process is killed once between two calls, however many calls of it are waiting. */
function stepsOf({ callers, isFaultLeft }: State, faults: readonly Happening[]): readonly Step[] {
  return Object.entries(callers).flatMap(([caller, { waiting }]) =>
    waiting.flatMap(({ call, name }, index) => {
      const own = isFaultLeft ? faults.filter((happens) => index === 0 || happens !== 'killed') : []
      return (['runs', ...own] as const).map((happens) => ({ caller, call, name, happens }))
    }),
  )
}

function toRanges(calls: ReadonlyMap<string, ReadonlySet<number>>): Explored['calls'] {
  return Object.fromEntries([...calls].map(([name, numbers]) => [name, [...numbers].sort((one, other) => one - other)]))
}

/** Returns (a + b + …)! / (a! b! …): the interleavings of callers with these numbers of steps. */
export function countInterleavings(...steps: readonly number[]): bigint {
  let [total, interleavings] = [0n, 1n]
  for (const own of steps) {
    for (let step = 1n; step <= own; step++) {
      total++
      interleavings = (interleavings * total) / step
    }
  }
  return interleavings
}
