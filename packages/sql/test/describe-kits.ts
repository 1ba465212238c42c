import {
  describeAccountDirectory,
  describeAccountStore,
  describeIdentityStore,
  describeProfileStore,
} from '@latchkey/accounts/testing'
import { describeKeyStore } from '@latchkey/jwt/testing'
import type { SqlStores } from '@latchkey/sql'
import {
  describeAuditStore,
  describeClientStore,
  describeCounterStore,
  describeFactorStore,
  describeGrantStore,
  describeLinkStore,
  describeLockoutStore,
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
  describeAuditStore({ describe, test, createStore: async () => (await connect()).audit })
  describeClientStore({ describe, test, createStore: async () => (await connect()).clients })
  describeGrantStore({ describe, test, createStore: async () => (await connect()).grants })
  describeLinkStore({ describe, test, createStore: async () => (await connect()).links })
  describeLockoutStore({ describe, test, createStore: async () => (await connect()).lockouts })
  describeVersionStore({ describe, test, createStore: async () => (await connect()).versions })
  describeAccountStore({ describe, test, createStore: async () => (await connect()).accounts })
  describeProfileStore({ describe, test, createStores: () => connect() })
  describeIdentityStore({ describe, test, createStores: () => connect() })
  describeAccountDirectory({ describe, test, createStore: async () => (await connect()).accounts })
}
