import { randomToken } from '@latchkey/bytes'
import type { DocumentStore } from '@latchkey/store'
import type { AccountStore, IdentityReads, StoredAccount } from '../store/account-store.ts'
import { type AccountBench, type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount, isIdentityAccount } from './assertions.ts'

interface Bench extends IdentityReads, Pick<AccountBench, 'waitUntil'> {
  readonly accounts: AccountStore
  /** Stores an account and a record of it. */
  insert(fields?: { readonly key?: string; readonly lifetimeMs?: number }): Promise<Inserted>
}

interface Inserted {
  readonly account: StoredAccount
  readonly key: string
  readonly expiresAt: number
}

/** Denies an id as a deny list does. */
async function deny(documents: DocumentStore, id: string): Promise<void> {
  await documents.insert({ collection: 'denials', id, owner: null, version: randomToken(16), value: '{}' })
}

async function insertBoth(
  accounts: AccountStore,
  { records }: IdentityReads,
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

function drawKey(): string {
  return `se_${randomToken(16)}`
}

const identityTests: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'a record is read with its account as it is now': async ({ accounts, records, read, insert }) => {
    const { account, key } = await insert()
    await insert()
    await accounts.replace(account.id, {}, { epoch: account.epoch + 1, keptKey: key })
    const found = await read(key)
    const [stored, storedRecord] = [await accounts.get(account.id), await records.get(key)]
    holds(stored !== null && storedRecord !== null, 'both are stored')
    isIdentityAccount(found?.account ?? null, stored, 'the account')
    holds(JSON.stringify(found?.record) === JSON.stringify(storedRecord), 'the record')
  },

  'keys are compared byte for byte': async ({ read, insert }) => {
    const key = drawKey()
    const [one, other] = [await insert({ key: `${key}A` }), await insert({ key: `${key}a` })]
    for (const { key: own, account } of [one, other]) {
      isIdentityAccount((await read(own))?.account ?? null, account, 'the account of the record')
    }
    holds((await read(key)) === null, 'the beginning of a key')
    holds((await read(`${one.key} `)) === null, 'a key with a space at its end')
  },

  'changing what was returned changes nothing that is stored': async ({ accounts, records, read, insert }) => {
    const { account, key } = await insert()
    const found = await read(key)
    const stored = JSON.stringify(await records.get(key))
    if (found && !Object.isFrozen(found.record)) Object.assign(found.record, { value: 'spoiled' })
    if (found && !Object.isFrozen(found.account)) Object.assign(found.account, { epoch: 99, roles: ['spoiled'] })
    isAccount(await accounts.get(account.id), account, 'the account')
    holds(JSON.stringify(await records.get(key)) === stored, 'the record must be as it was')
    isIdentityAccount((await read(key))?.account ?? null, account, 'the account, read again')
  },

  'nothing is read where the record or the account is absent': async ({ accounts, records, read, insert }) => {
    const [one, other] = [await insert(), await insert()]
    await records.remove(one.key)
    await accounts.remove(other.account.id)
    holds((await read(one.key)) === null, 'a removed record')
    holds((await read(other.key)) === null, 'a record whose account is removed')
    holds((await read('se_unknown')) === null, 'an unknown record')
  },

  'a record without an owner, or that has expired, is not read': async ({ records, read, insert }) => {
    // Estimates of the backend's clock may differ by milliseconds.
    const expired = await insert({ lifetimeMs: -1000 })
    holds((await read(expired.key)) === null, 'an expired record')
    const key = drawKey()
    await records.insert({ key, owner: null, expiresAt: records.now() + 60_000, value: '' })
    holds((await read(key)) === null, 'a record without an owner')
  },

  'one of the ids that are asked is denied, or none': async ({ documents, read, insert }) => {
    const { key } = await insert()
    const [denied, other] = [drawId(), drawId()]
    await deny(documents, denied)
    for (const [ids, isDenied] of [
      [[], false],
      [[other], false],
      [[denied], true],
      [[other, denied], true],
      [[denied, other], true],
      [[other, drawId(), denied], true],
    ] as const) {
      holds((await read(key, ids))?.isDenied === isDenied, `${ids.length} ids: ${isDenied}`)
    }
    holds((await read(key))?.isDenied === false, 'without ids')
  },

  'of reads at once each returns what it asked for': async ({ documents, read, insert }) => {
    const inserted = await Promise.all(Array.from({ length: 120 }, () => insert()))
    const denied = drawId()
    await deny(documents, denied)
    const hostile = ['se_unknown', 'se_\0', "se_'", 'se_"', 'se_\\', 'se_\ud800', 'se_\u0001', '', 'se_ü', '%', 'null']
    const reads = inserted.map(({ key }, place) => read(key, place % 3 === 0 ? [denied] : []))
    const others = hostile.map((key) => read(key))
    const twice = read(inserted[0]?.key ?? '')
    for (const [place, found] of (await Promise.all(reads)).entries()) {
      holds(found?.record.key === inserted[place]?.key, 'the record of the key')
      holds(found?.account.id === inserted[place]?.account.id, 'the account of the record')
      holds(found?.isDenied === (place % 3 === 0), 'the denial of the token')
    }
    holds((await twice)?.isDenied === false, 'the same key at once without the denial')
    for (const found of await Promise.all(others)) holds(found === null, 'a key that names nothing')
  },
}

const instantTests: typeof identityTests = {
  'a record is read until the millisecond in which it expires': async ({ read, insert, waitUntil }) => {
    const { key, expiresAt } = await insert()
    await waitUntil(expiresAt - 1)
    holds((await read(key)) !== null, 'a record, 1 ms before it expires')
    await waitUntil(expiresAt)
    holds((await read(key)) === null, 'a record, when it expires')
  },
}

function withIdentities(tests: typeof identityTests): AccountTests {
  const titles = Object.entries(tests).map(([title, body]) => [
    title,
    async ({ store: accounts, waitUntil }: AccountBench) => {
      const { identities } = accounts
      if (!identities) throw new Error('"identities" must be there: the kit was told so by "optional"')
      const { records, documents } = identities
      const read: Bench['read'] = (...given) => identities.read(...given)
      const insert: Bench['insert'] = (fields) => insertBoth(accounts, identities, fields)
      await body({ accounts, records, documents, read, insert, waitUntil })
    },
  ])
  return Object.fromEntries(titles)
}

/** With the group `identities`. */
export const accountIdentities: AccountTests = withIdentities(identityTests)

/** With a clock that can be set, too. */
export const accountIdentityInstants: AccountTests = withIdentities(instantTests)
