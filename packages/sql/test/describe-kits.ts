import { describeAccountStore } from '@latchkey/accounts/testing'
import type { SqlStores } from '@latchkey/sql'
import {
  describeAuditStore,
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
  type StoreKit,
} from '@latchkey/store/testing'
import { describe, test } from 'vitest'

const optional = ['getMany', 'listRoleHolders', 'reservations', 'identities'] as const

type Connect = (now?: () => number) => Promise<SqlStores>
type Describe = (name: string, body: () => void) => unknown

/** Every kit on the stores of one backend; `connect` makes one client of it each time, on a clock of its own if given. */
export function describeKits(
  connect: Connect,
  { setVersion, ...clock }: Pick<Parameters<typeof describeRecordStore>[0], 'now' | 'wait' | 'setVersion'> = {},
): void {
  const createStoreAt = async (now: () => number) => (await connect(now)).records
  describeRecordStore({
    describe,
    test,
    createStore: async () => (await connect()).records,
    createStoreAt,
    ...(setVersion && { setVersion }),
    ...clock,
  })
  describeCounterStore({ describe, test, createStore: async () => (await connect()).counters, ...clock })
  describeDocumentStore({ describe, test, createStore: async () => (await connect()).documents })
  describeAuditStore({ describe, test, createStore: async () => (await connect()).audit })
  describeAccountStore({ describe, test, createStore: async () => (await connect()).accounts, optional, ...clock })
}

/** Of every kit what concerns outages, with deadlines that the rest of the kits could not hold on a busy machine. */
export function describeKitOutages(
  connect: Connect,
  outages: Required<Pick<StoreKit<SqlStores>, 'unreachable' | 'freeze' | 'thaw' | 'deadlineMs'>>,
): void {
  const kitOf = <Name extends keyof SqlStores>(name: Name) => ({
    describe: ((title, body) => /(store|outages)$/.test(title) && describe(title, body)) as Describe,
    test,
    ...outages,
    createStore: async () => (await connect())[name],
    unreachable: async () => (await outages.unreachable())[name],
  })
  describeRecordStore(kitOf('records'))
  describeCounterStore(kitOf('counters'))
  describeDocumentStore(kitOf('documents'))
  describeAuditStore(kitOf('audit'))
  describeAccountStore({ ...kitOf('accounts'), optional })
}
