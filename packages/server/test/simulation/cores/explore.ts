import type { Stage, Step } from './stage.ts'

/** Callers that start anew, and what must hold once they have ended. */
export interface Scenario {
  /** Returns started callers on fresh stores. */
  readonly open: () => Promise<Opened>
}

export interface Opened {
  readonly stage: Stage
  /** Returns the content of the stores as a text. */
  readonly stored: () => Promise<string>
  /** Returns what does not hold, in sentences. Called once, when all callers have ended. */
  readonly judge: () => Promise<readonly string[]>
}

export interface ExploringOptions {
  /**
   * Whether a state is explored once, however many schedules lead to it. They are counted all the same.
   * @default true
   */
  readonly merges?: boolean
  /** After so many steps the first caller that can go on does, until all have ended. @default never */
  readonly branchesFor?: number
  /** Whether the first sentence ends the exploring. @default false */
  readonly stopsAtFirst?: boolean
}

export interface Explored {
  /** The complete schedules. */
  readonly schedules: bigint
  /** The schedules that were run to their end and judged. */
  readonly judged: number
  /** The different states, the last ones among them. */
  readonly states: number
  /** The numbers of steps of complete schedules, the fewest and the most. */
  readonly steps: readonly [number, number]
  /** The first schedule for each sentence that does not hold. */
  readonly found: ReadonlyMap<string, readonly Step[]>
}

/** Runs all schedules, depth first: each one starts anew, and repeats its first steps. */
export async function explore(scenario: Scenario, options: ExploringOptions = {}): Promise<Explored> {
  const { merges = true, branchesFor = Number.POSITIVE_INFINITY, stopsAtFirst = false } = options
  const known = new Map<string, bigint>()
  const found = new Map<string, readonly Step[]>()
  const counted = { judged: 0, states: 0, fewest: Number.POSITIVE_INFINITY, most: 0 }

  async function judge(taken: readonly Step[], opened: Opened): Promise<void> {
    counted.judged++
    counted.fewest = Math.min(counted.fewest, taken.length)
    counted.most = Math.max(counted.most, taken.length)
    for (const sentence of await opened.judge()) if (!found.has(sentence)) found.set(sentence, taken)
  }

  /** Returns the number of schedules that begin with these steps. */
  async function visit(taken: readonly Step[], opened: Opened): Promise<bigint> {
    const state = merges ? `${opened.stage.pasts()} ${await opened.stored()}` : null
    const before = state === null ? undefined : known.get(state)
    if (before !== undefined) return before
    counted.states++
    const steps = opened.stage.steps()
    const choices = taken.length < branchesFor ? steps : steps.slice(0, 1)
    let schedules = steps.length === 0 ? 1n : 0n
    if (steps.length === 0) await judge(taken, opened)
    let live: Opened | null = opened
    for (const step of choices) {
      if (stopsAtFirst && found.size > 0) break
      const next: Opened = live ?? (await replay(scenario, taken))
      live = null
      await next.stage.take(step)
      schedules += await visit([...taken, step], next)
    }
    if (state !== null) known.set(state, schedules)
    return schedules
  }

  const schedules = await visit([], await scenario.open())
  const { judged, states, fewest, most } = counted
  return { schedules, judged, states, steps: [fewest, most], found }
}

async function replay(scenario: Scenario, taken: readonly Step[]): Promise<Opened> {
  const opened = await scenario.open()
  for (const step of taken) await opened.stage.take(step)
  return opened
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
