import { randomToken } from '@latchkey/bytes'
import { describeOutages, type KitOutages, type OutageCalls, type TestRunner } from '@latchkey/store/testing'
import type { AccountStore, StoredAccount } from '../store/account-store.ts'

/** What each test of the kit works with. */
export interface AccountBench<Store extends AccountStore = AccountStore> {
  readonly store: Store
  /** Another client of the same backend. */
  readonly other: Store
}

export type AccountTests<Store extends AccountStore = AccountStore> = Readonly<
  Record<string, (bench: AccountBench<Store>) => Promise<void>>
>

/** Returns an account with a fresh id and e-mail: the kit needs no empty backend. */
export function drawAccount(change: Partial<StoredAccount> = {}): StoredAccount {
  const id = `acc_${randomToken(16)}`
  return {
    id,
    email: `${id.toLowerCase()}-${randomToken(16).toLowerCase()}@example.com`,
    name: 'Ada Lovelace',
    roles: ['AUTHOR', 'EDITOR'],
    status: 'active',
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaA',
    epoch: 3,
    keptKey: null,
    enrolled: [],
    ...change,
  }
}

export interface AccountKit<Store extends AccountStore> extends TestRunner, KitOutages<Store> {
  /** Creates one client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => Store | Promise<Store>
}

/** The tests of a kit: those by name, and every method while the backend fails. */
export interface AccountTables<Store extends AccountStore> {
  readonly tables: Readonly<Record<string, AccountTests<Store>>>
  readonly prepareOutages: (store: Store, other: Store) => Promise<OutageCalls<Store>>
}

/** Passes every test to the runner. */
export function runTables<Store extends AccountStore>(
  { describe, test, createStore, ...outages }: AccountKit<Store>,
  { tables, prepareOutages }: AccountTables<Store>,
): void {
  let bench: Promise<AccountBench<Store>> | undefined
  const connect = async () => ({ store: await createStore(), other: await createStore() })
  const open = () => {
    bench ??= connect()
    return bench
  }
  for (const [name, tests] of Object.entries(tables)) {
    describe(name, () => {
      for (const [title, body] of Object.entries(tests)) test(title, async () => body(await open()))
    })
  }
  const clients = async (): Promise<readonly [Store, Store]> => {
    const { store, other } = await open()
    return [store, other]
  }
  const probe = (client: Store) => client.get('acc_unknown')
  describeOutages({ ...outages, describe, test, clients, prepare: prepareOutages, probe })
}
