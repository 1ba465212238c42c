import { randomToken } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import type { TestRunner } from '@latchkey/store/testing'
import type { AccountStore } from '../store/account-store.ts'
import type { IdentityStore } from '../store/identity-store.ts'
import { drawAccount } from './account-bench.ts'
import { holds, isAccount } from './assertions.ts'

/** What the kit needs to test a store that reads records with their accounts. */
export interface IdentityStoreKit extends TestRunner {
  /** Creates the stores of one backend. It is called once, when the first test runs. */
  readonly createStores: () => IdentityStores | Promise<IdentityStores>
}

interface IdentityStores {
  readonly accounts: AccountStore
  readonly records: RecordStore
  readonly identities: IdentityStore
}

/**
 * Describes the contract of `IdentityStore` as tests of a runner: what it returns is what the two stores return.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { describeIdentityStore, type IdentityStoreKit } from '@latchkey/accounts/testing'
 * declare const createStores: IdentityStoreKit['createStores'] // connects to your database
 * describeIdentityStore({ describe, test, createStores })
 */
export function describeIdentityStore({ describe, test, createStores }: IdentityStoreKit): void {
  let opened: Promise<IdentityStores> | undefined
  const open = () => {
    opened ??= Promise.resolve(createStores())
    return opened
  }

  async function insert(lifetimeMs = 60_000) {
    const { accounts, records } = await open()
    const account = drawAccount()
    const key = `se_${randomToken(16)}`
    const record = { key, owner: account.id, expiresAt: records.now() + lifetimeMs, value: '{"a":1}' }
    await accounts.insert(account)
    await records.insert(record)
    return { account, record }
  }

  describe('identity store', () => {
    test('a record is read with its account as it is now', async () => {
      const { accounts, records, identities } = await open()
      const { account, record } = await insert()
      await accounts.replace(account.id, {}, { epoch: account.epoch + 1, keptKey: record.key })
      const read = await identities.readIdentity(record.key)
      const [stored, storedRecord] = [await accounts.get(account.id), await records.get(record.key)]
      holds(stored !== null && storedRecord !== null, 'both are stored')
      isAccount(read?.account ?? null, stored, 'the account')
      holds(JSON.stringify(read?.record) === JSON.stringify(storedRecord), 'the record')
    })

    test('nothing is read where the record or the account is absent', async () => {
      const { accounts, records, identities } = await open()
      const [one, other] = [await insert(), await insert()]
      await records.remove(one.record.key)
      await accounts.remove(other.account.id)
      holds((await identities.readIdentity(one.record.key)) === null, 'a removed record')
      holds((await identities.readIdentity(other.record.key)) === null, 'a record whose account is removed')
      holds((await identities.readIdentity('se_unknown')) === null, 'an unknown record')
    })

    test('a record without an owner, or that has expired, is not read', async () => {
      const { records, identities } = await open()
      const { record } = await insert(-1)
      holds((await identities.readIdentity(record.key)) === null, 'an expired record')
      const key = `se_${randomToken(16)}`
      await records.insert({ key, owner: null, expiresAt: records.now() + 60_000, value: '' })
      holds((await identities.readIdentity(key)) === null, 'a record without an owner')
    })
  })
}
