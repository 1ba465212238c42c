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

/** @throws TypeError unless the counters are strong and durable. */
export function checkLockouts(lockouts: CounterStore, option: string): CounterStore {
  if (typeof lockouts?.hit !== 'function') throw new TypeError(`"${option}" must be a CounterStore`)
  const { durable, consistency } = lockouts.capabilities
  if (durable !== true) {
    throw new TypeError(
      `"${option}" must be durable, or a flush grants new attempts: pass the counters of the database that has the accounts`,
    )
  }
  if (consistency !== 'strong') throw new TypeError(`"${option}" must be strong: eventual counters lose failures`)
  return lockouts
}
