import { type Attempt, createAttemptLimits, unknownAttempt } from '@latchkey/accounts'
import { createMemoryCounterStore } from '@latchkey/store'
import { type BenchOptions, countHashes, joinOptions } from '../bench.ts'
import { createFactorsBench, type FactorsBench } from '../factors/factors-bench.ts'

const secrets = [{ id: '2026-01', bytes: new Uint8Array(32).fill(5) }] as const

export interface LimitedBench extends FactorsBench {
  readonly lockouts: ReturnType<typeof createMemoryCounterStore>
  /** The types of all events, in their order. */
  readonly typesOfEvents: () => readonly string[]
}

/** The bench of accounts with every kind of factor, where guessing is limited. */
export function createLimitedBench(
  limits: Partial<Parameters<typeof createAttemptLimits>[0]> = {},
  options: BenchOptions['options'] = {},
): LimitedBench {
  let clock = (): number => 0
  const now = () => clock()
  const lockouts = createMemoryCounterStore()
  const counters = createMemoryCounterStore({ now })
  const attemptLimits = createAttemptLimits({ counters, lockouts, secrets, now, ...limits })
  const bench = createFactorsBench({ options: joinOptions({ signIn: { attemptLimits } }, options) })
  clock = bench.now
  return { ...bench, lockouts, typesOfEvents: () => bench.events.map(({ type }) => type) }
}

/** An attempt from an address, of no known device. */
export function from(address: string | null): Attempt {
  return { ...unknownAttempt, address }
}

export const wrongPassword = 'herons never read at dusk'

/** What a call came to, and how many hashes it took. */
export async function measured(call: () => Promise<unknown>): Promise<readonly [outcome: string, hashes: number]> {
  let outcome = ''
  const hashes = await countHashes(async () => {
    outcome = await outcomeOf(call())
  })
  return [outcome, hashes]
}

/** `throttled by <limit> for <seconds>`, the reason of a refusal, or what was accepted. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    const result = (await call) as { readonly ok: boolean; readonly reason?: string; readonly status?: string }
    return result.ok ? (result.status ?? 'accepted') : (result.reason ?? 'refused')
  } catch (error) {
    const { code, policy, retryAfterSeconds } = error as {
      readonly code?: string
      readonly policy?: { readonly name: string } | null
      readonly retryAfterSeconds?: number | null
    }
    if (code !== 'ATTEMPTS_RATE_LIMITED') throw error
    return `throttled by ${policy?.name} for ${retryAfterSeconds}`
  }
}
