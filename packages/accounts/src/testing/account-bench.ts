import { randomToken } from '@latchkey/bytes'
import type { TestRunner } from '@latchkey/store/testing'
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

export interface AccountKit<Store extends AccountStore> extends TestRunner {
  /** Creates one client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => Store | Promise<Store>
}

/** Passes every test of the tables to the runner. */
export function runTables<Store extends AccountStore>(
  { describe, test, createStore }: AccountKit<Store>,
  tables: Readonly<Record<string, AccountTests<Store>>>,
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
}
