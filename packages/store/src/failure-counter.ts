import { type CheckedStores, checkStores } from './check-stores.ts'
import type { CounterStore } from './counter-store.ts'

/** Failures in a row of one factor, by account. */
export interface FailureCounter {
  /** Adds one in one atomic step and returns the count. */
  add(accountId: string): Promise<number>
  read(accountId: string): Promise<number>
  reset(accountId: string): Promise<void>
}

/**
 * Counts how often a factor was wrong in a row, in counters that no flush of a cache and no restart clears.
 *
 * @param factor a word without a colon: `password`, `totp`.
 */
export function createFailureCounter(lockouts: CounterStore, factor: string): FailureCounter {
  const keyOf = (accountId: string): string => `failures:${factor}:${accountId}`
  return {
    add: async (accountId) => (await lockouts.hit(keyOf(accountId), Number.POSITIVE_INFINITY)).count,
    read: async (accountId) => (await lockouts.hit(keyOf(accountId), Number.POSITIVE_INFINITY, 0)).count,
    reset: (accountId) => lockouts.reset(keyOf(accountId)),
  }
}

/**
 * Returns the counters of failures in a row: `lockouts`, or `counters` if it is omitted.
 *
 * @param prefix the prefix of their names in messages.
 * @throws TypeError unless they are durable and strong.
 */
export function checkLockouts(
  { counters, lockouts }: Pick<CheckedStores, 'counters' | 'lockouts'>,
  prefix = '',
): CounterStore {
  const counting = lockouts ?? counters
  if (!counting)
    throw new TypeError(`"${prefix}counters" or "${prefix}lockouts" is required: it counts failures in a row`)
  const option = lockouts ? 'lockouts' : 'counters'
  checkStores({ [option]: counting }, prefix)
  if (counting.capabilities.durable !== true) {
    throw new TypeError(
      `"${prefix}${option}" must be durable to count failures in a row, or a flush grants new attempts: pass "${prefix}lockouts", the counters of the database that has the accounts`,
    )
  }
  if (counting.capabilities.consistency !== 'strong') {
    throw new TypeError(`"${prefix}${option}" must be strong: eventual counters lose failures`)
  }
  return counting
}
