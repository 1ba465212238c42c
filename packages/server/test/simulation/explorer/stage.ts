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

/** A caller between two steps. */
export interface CallerState {
  /** The store calls that it waits for: several, if it makes them at once. */
  readonly waiting: readonly Pick<Step, 'call' | 'name'>[]
  readonly isKilled: boolean
  /** What it was answered, or what was thrown; `null`: neither yet. */
  readonly ended: { readonly as: 'answered' | 'thrown'; readonly answer: unknown } | null
  /** A digest of all that stores have answered it: with the same random bytes, it decides what the caller does next. */
  readonly past: string
}

/** Callers whose every store call waits until it is chosen. */
export interface Stage {
  /** Stands around the stores of a caller. */
  readonly around: (caller: string) => Around
  /** Starts all callers, up to their first store calls. */
  readonly start: (works: Readonly<Record<string, () => Promise<unknown>>>) => Promise<void>
  readonly take: (step: Step) => Promise<void>
  readonly look: (caller: string) => CallerState
}

interface WaitingCall extends Pick<Step, 'call' | 'name'> {
  readonly run: () => Promise<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Caller {
  waiting: readonly WaitingCall[]
  calls: number
  isKilled: boolean
  ended: CallerState['ended']
  past: string
}

const never = new Promise<never>(() => undefined)

export function createStage(platform: StillPlatform): Stage {
  const callers = new Map<string, Caller>()
  function find(name: string): Caller {
    const caller = callers.get(name) ?? { waiting: [], calls: 0, isKilled: false, ended: null, past: '' }
    callers.set(name, caller)
    return caller
  }

  return {
    around: (name) => (call, run) => {
      const caller = find(name)
      if (caller.isKilled) return never
      return new Promise((resolve, reject) => {
        caller.waiting = [...caller.waiting, { call: caller.calls++, name: call, run, resolve, reject }]
      })
    },
    async start(works) {
      for (const [name, work] of Object.entries(works)) {
        platform.drawAs(name)
        watch(find(name), work)
        await platform.settle()
      }
    },
    async take({ caller: name, call, name: named, happens }) {
      const caller = find(name)
      const chosen = caller.waiting.find((waiting) => waiting.call === call)
      if (chosen?.name !== named) throw new Error(`${name} does not wait for ${named}: it differs between two runs`)
      platform.drawAs(name)
      await perform(caller, chosen, happens)
      await platform.settle()
    },
    look(name) {
      const { waiting, isKilled, ended, past } = find(name)
      return { waiting: waiting.map(({ call, name: named }) => ({ call, name: named })), isKilled, ended, past }
    },
  }
}

function watch(caller: Caller, work: () => Promise<unknown>): void {
  const end = (as: 'answered' | 'thrown', answer: unknown): void => {
    if (!caller.isKilled) caller.ended = { as, answer }
  }
  work().then(
    (answer) => end('answered', answer),
    (error: unknown) => end('thrown', describe(error)),
  )
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return { name: error.name, message: error.message, ...('code' in error && { code: error.code }) }
}

async function perform(caller: Caller, chosen: WaitingCall, happens: Happening): Promise<void> {
  const settle = await answerTo(chosen, happens)
  caller.waiting = caller.waiting.filter((waiting) => waiting !== chosen)
  if (happens === 'killed' || happens === 'killed-after') {
    caller.waiting = []
    caller.isKilled = true
    caller.past = ''
    return
  }
  const text = `${caller.past} ${chosen.call} ${chosen.name} ${settle.text}`
  caller.past = createHash('sha256').update(text).digest('base64url')
  settle.deliver()
}

async function answerTo({ run, resolve, reject }: WaitingCall, happens: Happening) {
  const failed = { text: happens, deliver: () => reject(new StoreError('STORE_UNAVAILABLE', happens)) }
  if (happens === 'killed' || happens === 'failed') return failed
  try {
    const answer = await run()
    return happens === 'runs' ? { text: `${JSON.stringify(answer)}`, deliver: () => resolve(answer) } : failed
  } catch (error) {
    return { text: String(error), deliver: () => reject(error) }
  }
}
