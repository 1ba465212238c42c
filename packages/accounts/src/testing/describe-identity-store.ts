import { randomToken } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import { describeOutages, type KitOutages, type OutageCalls, type TestRunner } from '@latchkey/store/testing'
import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import type { IdentityStore } from '../store/identity-store.ts'
import { drawAccount } from './account-bench.ts'
import { holds, isAccount, isIdentityAccount } from './assertions.ts'

/** What the kit needs to test a store that reads records with their accounts. */
export interface IdentityStoreKit extends TestRunner, KitOutages<IdentityStores> {
  /** Creates the stores of one backend. It is called once, when the first test runs. */
  readonly createStores: () => IdentityStores | Promise<IdentityStores>
  /** The clock of the stores, in epoch milliseconds. With `wait`. Omitted: the instant of expiry is not tested. */
  readonly now?: () => number
  /** Resolves when that clock has advanced by so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

interface IdentityStores {
  readonly accounts: AccountStore
  readonly records: RecordStore
  readonly identities: IdentityStore
}

interface Bench extends IdentityStores {
  /** Stores an account and a record of it. */
  insert(fields?: { readonly key?: string; readonly lifetimeMs?: number }): Promise<Inserted>
  /** Moves the clock to a millisecond, and returns whether it could. */
  waitUntil(instant: number): Promise<boolean>
}

interface Inserted {
  readonly account: StoredAccount
  readonly key: string
  readonly expiresAt: number
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
export function describeIdentityStore(kit: IdentityStoreKit): void {
  const { describe, test, createStores, now, wait, ...outages } = kit
  let opened: Promise<IdentityStores> | undefined
  const open = () => {
    opened ??= Promise.resolve(createStores())
    return opened
  }
  async function waitUntil(instant: number): Promise<boolean> {
    if (!now || !wait) return false
    await wait(instant - now())
    return now() === instant
  }
  const openBench = async (): Promise<Bench> => {
    const stores = await open()
    return { ...stores, insert: (fields) => insertBoth(stores, fields), waitUntil }
  }

  describe('identity store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(identityTests)) test(title, async () => body(await openBench()))
    })
    const clients = async (): Promise<readonly [IdentityStores, IdentityStores]> => [await open(), await open()]
    const probe = ({ identities }: IdentityStores) => identities.readIdentity('se_unknown')
    describeOutages({ ...outages, describe, test, clients, prepare: prepareOutages, probe })
  })
}

/** Reading while the backend fails. */
async function prepareOutages(stores: IdentityStores): Promise<OutageCalls<IdentityStores>> {
  const { key } = await insertBoth(stores)
  return { callsOf: ({ identities }) => ({ readIdentity: () => identities.readIdentity(key) }), changes: {} }
}

async function insertBoth(
  { accounts, records }: IdentityStores,
  { key = drawKey(), lifetimeMs = 60_000 }: Parameters<Bench['insert']>[0] = {},
): Promise<Inserted> {
  const account = drawAccount()
  const expiresAt = records.now() + lifetimeMs
  holds(await accounts.insert(account), 'insert of a fresh account must be true')
  holds(
    await records.insert({ key, owner: account.id, expiresAt, value: '{"a":1}' }),
    'insert of a record must be true',
  )
  return { account, key, expiresAt }
}

function drawId(): string {
  return `jti:${randomToken(16)}`
}

/** The denial of an id, as a deny list stores it. */
async function deny({ reads }: IdentityStore, id: string): Promise<void> {
  await reads.documents.insert({ collection: 'denials', id, owner: null, version: randomToken(16), value: '{}' })
}

function drawKey(): string {
  return `se_${randomToken(16)}`
}

const identityTests: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'a record is read with its account as it is now': async ({ accounts, records, identities, insert }) => {
    const { account, key } = await insert()
    await insert()
    await accounts.replace(account.id, {}, { epoch: account.epoch + 1, keptKey: key })
    const read = await identities.readIdentity(key)
    const [stored, storedRecord] = [await accounts.get(account.id), await records.get(key)]
    holds(stored !== null && storedRecord !== null, 'both are stored')
    isIdentityAccount(read?.account ?? null, stored, 'the account')
    holds(JSON.stringify(read?.record) === JSON.stringify(storedRecord), 'the record')
  },

  'keys are compared byte for byte': async ({ identities, insert }) => {
    const key = drawKey()
    const [one, other] = [await insert({ key: `${key}A` }), await insert({ key: `${key}a` })]
    for (const { key: own, account } of [one, other]) {
      isIdentityAccount((await identities.readIdentity(own))?.account ?? null, account, 'the account of the record')
    }
    holds((await identities.readIdentity(key)) === null, 'the beginning of a key')
    holds((await identities.readIdentity(`${one.key} `)) === null, 'a key with a space at its end')
  },

  'changing what was returned changes nothing that is stored': async ({ accounts, records, identities, insert }) => {
    const { account, key } = await insert()
    const read = await identities.readIdentity(key)
    const stored = JSON.stringify(await records.get(key))
    if (read && !Object.isFrozen(read.record)) Object.assign(read.record, { value: 'spoiled' })
    if (read && !Object.isFrozen(read.account)) Object.assign(read.account, { epoch: 99, roles: ['spoiled'] })
    isAccount(await accounts.get(account.id), account, 'the account')
    holds(JSON.stringify(await records.get(key)) === stored, 'the record must be as it was')
    isIdentityAccount((await identities.readIdentity(key))?.account ?? null, account, 'the account, read again')
  },

  'nothing is read where the record or the account is absent': async ({ accounts, records, identities, insert }) => {
    const [one, other] = [await insert(), await insert()]
    await records.remove(one.key)
    await accounts.remove(other.account.id)
    holds((await identities.readIdentity(one.key)) === null, 'a removed record')
    holds((await identities.readIdentity(other.key)) === null, 'a record whose account is removed')
    holds((await identities.readIdentity('se_unknown')) === null, 'an unknown record')
  },

  'a record without an owner, or that has expired, is not read': async ({ records, identities, insert }) => {
    const expired = await insert({ lifetimeMs: -1 })
    holds((await identities.readIdentity(expired.key)) === null, 'an expired record')
    const key = drawKey()
    await records.insert({ key, owner: null, expiresAt: records.now() + 60_000, value: '' })
    holds((await identities.readIdentity(key)) === null, 'a record without an owner')
  },

  'a record is read until the millisecond in which it expires': async ({ identities, insert, waitUntil }) => {
    const { key, expiresAt } = await insert()
    if (!(await waitUntil(expiresAt - 1))) return
    holds((await identities.readIdentity(key)) !== null, 'a record, 1 ms before it expires')
    await waitUntil(expiresAt)
    holds((await identities.readIdentity(key)) === null, 'a record, when it expires')
  },

  'it names the stores of its database': async ({ identities, insert }) => {
    const { account, key } = await insert()
    holds((await identities.reads.records.get(key)) !== null, 'a record is in the store of records')
    holds((await identities.reads.accounts.get(account.id)) !== null, 'an account is in the store of accounts')
  },

  'one of the ids that are asked is denied, or none': async ({ identities, insert }) => {
    const { key } = await insert()
    const [denied, other] = [drawId(), drawId()]
    await deny(identities, denied)
    for (const [ids, isDenied] of [
      [[], false],
      [[other], false],
      [[denied], true],
      [[other, denied], true],
      [[denied, other], true],
      [[other, drawId(), denied], true],
    ] as const) {
      holds((await identities.readIdentity(key, ids))?.isDenied === isDenied, `${ids.length} ids: ${isDenied}`)
    }
    holds((await identities.readIdentity(key))?.isDenied === false, 'without ids')
  },

  'of reads at once each returns what it asked for': async ({ identities, insert }) => {
    const inserted = await Promise.all(Array.from({ length: 120 }, () => insert()))
    const denied = drawId()
    await deny(identities, denied)
    const hostile = ['se_unknown', 'se_\0', "se_'", 'se_"', 'se_\\', 'se_\ud800', 'se_\u0001', '', 'se_ü', '%', 'null']
    const reads = inserted.map(({ key }, place) => identities.readIdentity(key, place % 3 === 0 ? [denied] : []))
    const others = hostile.map((key) => identities.readIdentity(key))
    const twice = identities.readIdentity(inserted[0]?.key ?? '')
    for (const [place, read] of (await Promise.all(reads)).entries()) {
      holds(read?.record.key === inserted[place]?.key, 'the record of the key')
      holds(read?.account.id === inserted[place]?.account.id, 'the account of the record')
      holds(read?.isDenied === (place % 3 === 0), 'the denial of the token')
    }
    holds((await twice)?.isDenied === false, 'the same key at once without the denial')
    for (const read of await Promise.all(others)) holds(read === null, 'a key that names nothing')
  },
}
