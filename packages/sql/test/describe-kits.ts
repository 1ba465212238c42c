import { describeAccountDirectory, describeAccountStore } from '@latchkey/accounts/testing'
import { describeKeyStore } from '@latchkey/jwt/testing'
import type { SqlStores } from '@latchkey/sql'
import {
  describeCounterStore,
  describeFactorStore,
  describeRecordStore,
  describeVersionStore,
} from '@latchkey/store/testing'
import { describe, test } from 'vitest'

/** Every kit on the stores of one backend; `connect` makes one client of it each time, on a clock of its own if given. */
export function describeKits(
  connect: (now?: () => number) => Promise<SqlStores>,
  clock: { now?: () => number; wait?: (milliseconds: number) => Promise<void> } = {},
): void {
  const createStoreAt = async (now: () => number) => (await connect(now)).records
  describeRecordStore({ describe, test, createStore: async () => (await connect()).records, createStoreAt, ...clock })
  describeCounterStore({ describe, test, createStore: async () => (await connect()).counters, ...clock })
  describeFactorStore({ describe, test, createStore: async () => (await connect()).factors })
  describeKeyStore({ describe, test, createStore: async () => (await connect()).keys })
  describeVersionStore({ describe, test, createStore: async () => (await connect()).versions })
  describeAccountStore({ describe, test, createStore: async () => (await connect()).accounts })
  describeAccountDirectory({ describe, test, createStore: async () => (await connect()).accounts })
}
