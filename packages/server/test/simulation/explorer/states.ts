import type { Endings, Opened, Scenario } from './scenario.ts'
import type { CallerState, Stage, Step } from './stage.ts'

/** Callers and stores between two steps. */
export interface State {
  /** The same for two states only if the same can happen from here on. */
  readonly id: string
  readonly callers: Readonly<Record<string, PlacedCaller>>
  readonly stored: string
  readonly isFaultLeft: boolean
}

interface PlacedCaller extends CallerState {
  /** The callers that had an answer before its first step; `null` before that. */
  readonly after: readonly string[] | null
}

interface Moved {
  readonly caller: CallerState
  readonly stored: string
}

/** The states of a scenario: each step is run once from a state of its caller and of the stores. */
export interface States {
  readonly first: () => Promise<State>
  readonly after: (state: State, step: Step, taken: readonly Step[]) => Promise<State>
  /** Returns what does not hold in a last state. */
  readonly judge: (state: State) => Promise<readonly string[]>
}

/** @param runsEach whether a step is run even if its caller and the stores were in this state before. */
export function createStates({ callers: names, open, judge }: Scenario, runsEach: boolean): States {
  const numbers = new Map<string, number>()
  const moves = new Map<string, Moved>()
  /** Returns a short name for a text. */
  function nameOf(text: string): number {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  function toState(parts: Omit<State, 'id'>): State {
    const { callers, stored, isFaultLeft } = parts
    const ids = Object.values(callers).map((caller) => nameOf(JSON.stringify(caller)))
    return { ...parts, id: [...ids, nameOf(stored), isFaultLeft].join() }
  }
  /** The callers of the last run, which go on if the next run begins with its steps; `null`: others were at work since. */
  let last: { readonly opened: Opened; readonly taken: readonly Step[] } | null = null
  async function run(step: Step, taken: readonly Step[]): Promise<Moved> {
    const opened = last && isSame(last.taken, taken) ? last.opened : await replay(open, taken)
    last = null
    await opened.stage.take(step)
    last = { opened, taken: [...taken, step] }
    return { caller: lookAt(opened.stage, step.caller), stored: await opened.stored() }
  }

  return {
    async first() {
      const { stage, stored } = await open()
      const callers = names.map((name) => [name, { ...lookAt(stage, name), after: null }])
      return toState({ callers: Object.fromEntries(callers), stored: await stored(), isFaultLeft: true })
    },
    async after({ callers, stored, isFaultLeft }, step, taken) {
      const { caller: name, call, happens } = step
      const { after, ...own } = callers[name] as PlacedCaller
      const id = [nameOf(JSON.stringify(own)), call, happens, name, nameOf(stored)].join()
      const moved = (runsEach ? undefined : moves.get(id)) ?? (await run(step, taken))
      moves.set(id, moved)
      const ended = Object.entries(callers).flatMap(([other, { ended: end }]) => (end && other !== name ? [other] : []))
      return toState({
        callers: { ...callers, [name]: { ...moved.caller, after: after ?? ended } },
        stored: moved.stored,
        isFaultLeft: isFaultLeft && happens === 'runs',
      })
    },
    judge({ callers, stored }) {
      last = null
      return judge(endingsOf(callers), stored)
    },
  }
}

function endingsOf(callers: State['callers']): Endings {
  const endingOf = ([name, { ended, after }]: (typeof entries)[number]) => {
    return [name, { ...(ended ?? { as: 'cut', answer: null }), after: after ?? [] }] as const
  }
  const entries = Object.entries(callers)
  return Object.fromEntries(entries.map(endingOf))
}

function lookAt(stage: Stage, name: string): CallerState {
  const caller = stage.look(name)
  if (caller.waiting.length > 0 || caller.ended || caller.isKilled) return caller
  throw new Error(`${name} waits for something that is no store`)
}

const isSame = (steps: readonly Step[], others: readonly Step[]): boolean =>
  steps.length === others.length && steps.every((step, index) => step === others[index])

async function replay(open: Scenario['open'], steps: readonly Step[]): Promise<Opened> {
  const opened = await open()
  for (const step of steps) await opened.stage.take(step)
  return opened
}
