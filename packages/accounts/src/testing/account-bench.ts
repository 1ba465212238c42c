import { randomToken } from '@latchkey/bytes'
import type { AccountStore, StoredAccount } from '../store/account-store.ts'

/** The parts that each test of the kit uses. */
export interface AccountBench {
  readonly store: AccountStore
  /** Another client of the same backend. */
  readonly other: AccountStore
  /** Advances the clock of the stores to a millisecond. */
  waitUntil(instant: number): Promise<void>
}

export type AccountTests = Readonly<Record<string, (bench: AccountBench) => Promise<void>>>

/** The methods and groups that a store may leave out. */
export const optionalParts = ['getMany', 'listRoleHolders', 'reservations', 'identities'] as const

export type OptionalPart = (typeof optionalParts)[number]

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
