import { createHash } from 'node:crypto'
import { StoreError } from '@latchkey/store'
import type { Around } from '../../support/wrapped-store.ts'
import type { StillPlatform } from './still-platform.ts'

/**
 * What happens at a store call. `killed`: the process of the caller ends before it, and `killed-after` after its effect;
 * `failed`: the store fails without an effect, and `lost`: the effect takes place, and the caller gets a failure.
 */
export type Happening = 'runs' | 'killed' | 'killed-after' | 'failed' | 'lost'

/** What a schedule does next. */
export interface Step {
  readonly caller: string
  /** The number of the store call among those of its caller, and its name. */
  readonly call: number
  readonly name: string
  readonly happens: Happening
}

/** How a caller has ended. */
export interface Ending {
  /** `cut`: its process was killed before it had an answer. */
  readonly as: 'answered' | 'thrown' | 'cut'
  /** What it was answered, or what was thrown. */
  readonly answer: unknown
  /** The callers that had an answer before the first effect of this one: they come before it. */
  readonly after: readonly string[]
}

interface WaitingCall {
  readonly call: number
  readonly name: string
  readonly run: () => Promise<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Caller {
  readonly waiting: WaitingCall[]
  calls: number
  isKilled: boolean
  ended: Omit<Ending, 'after'> | null
  after: readonly string[] | null
  /** A digest of all that the caller was answered: with the same random bytes, it decides what the caller does next. */
  past: string
}

/** Callers whose every store call waits until it is chosen. */
export interface Stage {
  /** Stands around the stores of a caller. */
  readonly around: (caller: string) => Around
  /** Starts all callers, up to their first store calls. */
  readonly start: (works: Readonly<Record<string, () => Promise<unknown>>>) => Promise<void>
  /** Returns what can happen next: nothing, when all callers have ended. */
  readonly steps: () => readonly Step[]
  readonly take: (step: Step) => Promise<void>
  /** A text that is the same for two states only if the same can happen from here on, on equal stores. */
  readonly pasts: () => string
  readonly endings: () => Readonly<Record<string, Ending>>
}

const down = (what: string): StoreError => new StoreError('STORE_UNAVAILABLE', what)
const never = new Promise<never>(() => undefined)
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** @param faults what may happen once in a schedule, in place of a call that runs. */
export function createStage(platform: StillPlatform, faults: readonly Exclude<Happening, 'runs'>[] = []): Stage {
  const callers = new Map<string, Caller>()
  let isFaultLeft = faults.length > 0
  const open = (name: string): Caller => {
    const caller: Caller = { waiting: [], calls: 0, isKilled: false, ended: null, after: null, past: '' }
    callers.set(name, caller)
    return caller
  }
  const find = (name: string): Caller => callers.get(name) ?? open(name)
  const ended = (): string[] => [...callers].flatMap(([name, caller]) => (caller.ended ? [name] : []))

  return {
    around: (name) => (call, run) => {
      const caller = find(name)
      if (caller.isKilled) return never
      return new Promise((resolve, reject) => {
        caller.waiting.push({ call: caller.calls++, name: call, run, resolve, reject })
      })
    },
    async start(works) {
      for (const [name, work] of Object.entries(works)) {
        const caller = find(name)
        platform.drawAs(name)
        watch(caller, work)
        await platform.settle()
      }
    },
    steps: () => [...callers].flatMap(([name, caller]) => stepsOf(name, caller, isFaultLeft ? faults : [])),
    async take({ caller: name, call, happens }) {
      const caller = find(name)
      const chosen = caller.waiting.find((waiting) => waiting.call === call)
      if (!chosen) throw new Error(`${name} does not wait for its call ${call}: the scenario differs between two runs`)
      caller.after ??= ended().filter((other) => other !== name)
      if (happens !== 'runs') isFaultLeft = false
      platform.drawAs(name)
      await perform(caller, chosen, happens)
      await platform.settle()
    },
    pasts: () =>
      [...callers]
        .map(([name, { past, ended: end, isKilled, after }]) =>
          [name, isKilled ? 'killed' : past, end && digest(JSON.stringify(end)), after?.join()].join(),
        )
        .join(';') + isFaultLeft,
    endings: () => Object.fromEntries([...callers].map(([name, caller]) => [name, endingOf(caller)])),
  }
}

function watch(caller: Caller, work: () => Promise<unknown>): void {
  const end = (as: 'answered' | 'thrown') => (answer: unknown) => {
    if (!caller.isKilled) caller.ended = { as, answer }
  }
  work().then(end('answered'), (error: unknown) => end('thrown')(describe(error)))
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return { name: error.name, message: error.message, ...('code' in error && { code: error.code }) }
}

/** A process is killed once between two calls, however many calls of it are waiting. */
function stepsOf(name: string, caller: Caller, faults: readonly Happening[]): readonly Step[] {
  return caller.waiting.flatMap(({ call, name: named }, index) => {
    const happenings = faults.filter((happens) => index === 0 || happens !== 'killed')
    return (['runs', ...happenings] as const).map((happens) => ({ caller: name, call, name: named, happens }))
  })
}

async function perform(caller: Caller, chosen: WaitingCall, happens: Happening): Promise<void> {
  caller.waiting.splice(caller.waiting.indexOf(chosen), 1)
  const settle = await answerTo(chosen, happens)
  if (happens === 'killed' || happens === 'killed-after') {
    caller.isKilled = true
    caller.waiting.length = 0
    return
  }
  caller.past = digest(`${caller.past} ${chosen.call} ${chosen.name} ${settle.text}`)
  settle.deliver()
}

async function answerTo({ run, resolve, reject }: WaitingCall, happens: Happening) {
  const failure = down(happens === 'lost' ? 'the answer was lost' : 'the store is down')
  const failed = { text: happens, deliver: () => reject(failure) }
  if (happens === 'killed' || happens === 'failed') return failed
  try {
    const answer = await run()
    return happens === 'runs' ? { text: `${JSON.stringify(answer)}`, deliver: () => resolve(answer) } : failed
  } catch (error) {
    return { text: String(error), deliver: () => reject(error) }
  }
}

function endingOf({ ended, after }: Caller): Ending {
  return { ...(ended ?? { as: 'cut', answer: null }), after: after ?? [] }
}
