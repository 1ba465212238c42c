import type { AccountStore } from '../../store/account-store.ts'
import { createSlowAccountStore, type SlowAccountStore } from './slow-account-store.ts'

/** A store with one mistake that real stores have had, and the test of the kit that finds it. */
export interface BrokenAccountStore {
  readonly name: string
  readonly fails: string
  readonly createStore: () => AccountStore
}

export function broken(
  name: string,
  fails: string,
  mistake: (slow: SlowAccountStore) => Partial<AccountStore>,
): BrokenAccountStore {
  const createStore = () => {
    const slow = createSlowAccountStore()
    return { ...slow.store, ...mistake(slow) }
  }
  return { name, fails, createStore }
}
