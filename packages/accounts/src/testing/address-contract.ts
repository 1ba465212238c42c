import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import type { AddressStore, ReservedAddress } from '../store/address-store.ts'
import { drawAccount } from './account-bench.ts'
import { holds, isAccount, oneWins } from './assertions.ts'

/** Accounts, and the addresses that are kept for them. */
export interface AddressedStores {
  readonly accounts: AccountStore
  readonly addresses: AddressStore
}

type AddressTest = (stores: AddressedStores, other: AddressedStores) => Promise<void>

const callers = Array.from({ length: 16 }, (_none, index) => index)

/** An account that has moved to another address, and the one that is reserved for it from 100 to 200. */
interface Moved {
  readonly account: StoredAccount
  readonly former: string
}

function reservationOf({ id, email }: StoredAccount, since = 100, until = 200): ReservedAddress {
  return { email, accountId: id, since, until }
}

async function insertOne({ accounts }: AddressedStores): Promise<StoredAccount> {
  const account = drawAccount()
  await accounts.insert(account)
  return account
}

async function move({ accounts }: AddressedStores, account: StoredAccount): Promise<StoredAccount> {
  const { email } = drawAccount()
  holds(
    await accounts.replace(account.id, { email: account.email }, { email }),
    'a move to a free address must be true',
  )
  return { ...account, email }
}

async function insertMoved(stores: AddressedStores): Promise<Moved> {
  const account = await insertOne(stores)
  holds(
    await stores.addresses.reserve(reservationOf(account), account.epoch),
    'reserve of the address of an account must be true',
  )
  return { account: await move(stores, account), former: account.email }
}

function isSame(actual: unknown, expected: unknown, rule: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${rule}: expected ${right}, got ${left}`)
}

export const addressTests: Readonly<Record<string, AddressTest>> = {
  'an address that is reserved is given to no other account': async (stores, other) => {
    const { account, former } = await insertMoved(stores)
    const rival = await insertOne(stores)
    holds(!(await other.accounts.insert(drawAccount({ email: former }))), 'insert must be false')
    holds(!(await other.accounts.replace(rival.id, {}, { email: former })), 'replace must be false')
    isAccount(await stores.accounts.getByEmail(former), null, 'nobody has the address')
    isAccount(await stores.accounts.get(account.id), account, 'the account that has left it')
    isAccount(await stores.accounts.get(rival.id), rival, 'the account that has asked for it')
  },

  'an address that is left without being reserved is free': async (stores, other) => {
    const account = await insertOne(stores)
    await move(stores, account)
    const next = drawAccount({ email: account.email })
    holds(await other.accounts.insert(next), 'insert must be true')
    isAccount(await stores.accounts.getByEmail(account.email), next, 'the account that has taken it')
  },

  'an account moves back to what is reserved for it, and so leaves all others': async (stores, other) => {
    const { account, former } = await insertMoved(stores)
    holds(await stores.addresses.reserve(reservationOf(account, 150, 250), account.epoch), 'reserve must be true')
    const moved = await move(stores, account)
    holds(await other.accounts.replace(moved.id, { email: moved.email }, { email: former }), 'replace must be true')
    isAccount(await stores.accounts.get(account.id), { ...account, email: former }, 'the account')
    isSame(await stores.addresses.listReserved(account.id, 160), [], 'what is reserved')
    for (const email of [account.email, moved.email]) {
      holds(await other.accounts.insert(drawAccount({ email })), 'the addresses that it has left must be free')
    }
    holds(!(await other.accounts.insert(drawAccount({ email: former }))), 'its own address is taken')
  },

  'a swap to the address that an account has ends what is reserved for it': async (stores) => {
    const account = await insertOne(stores)
    await stores.addresses.reserve(reservationOf(account), account.epoch)
    holds(await stores.accounts.replace(account.id, {}, { email: account.email }), 'replace must be true')
    isSame(await stores.addresses.listReserved(account.id, 150), [], 'what is reserved')
    isAccount(await stores.accounts.get(account.id), account, 'the account')
    holds(!(await stores.accounts.insert(drawAccount({ email: account.email }))), 'its own address is taken')
  },

  'a swap of anything else leaves what is reserved': async (stores) => {
    const { account, former } = await insertMoved(stores)
    await stores.addresses.reserve(reservationOf(account, 120, 220), account.epoch)
    await stores.accounts.replace(account.id, {}, { epoch: 9, passwordHash: null })
    const reserved = [{ ...reservationOf(account), email: former }, reservationOf(account, 120, 220)]
    isSame(await stores.addresses.listReserved(account.id, 150), reserved, 'what is reserved')
  },

  'only the address that an account has can be reserved for it': async (stores) => {
    const [account, other] = [await insertOne(stores), await insertOne(stores)]
    const { email } = drawAccount()
    const refused = [
      { ...reservationOf(account), email },
      { ...reservationOf(account), email: other.email },
      { ...reservationOf(account), accountId: 'acc_unknown' },
    ]
    for (const address of refused) {
      holds((await stores.addresses.reserve(address, account.epoch)) === false, 'reserve must be false')
      holds((await stores.addresses.findReserved(address.email, 150)) === null, 'nothing may be reserved')
    }
  },

  'an address is reserved at the epoch of the account only': async (stores, other) => {
    const account = await insertOne(stores)
    const reserve = (epoch: number): Promise<boolean> => stores.addresses.reserve(reservationOf(account), epoch)
    await other.accounts.replace(account.id, {}, { epoch: account.epoch + 1 })
    for (const epoch of [account.epoch, account.epoch + 2])
      holds((await reserve(epoch)) === false, 'reserve must be false')
    isSame(await stores.addresses.listReserved(account.id, 150), [], 'what is reserved')
    holds(await reserve(account.epoch + 1), 'reserve at the epoch that it has must be true')
  },

  'of an account that moves back meanwhile nothing is reserved': async (stores, other) => {
    for (const round of callers) {
      const account = await insertOne(stores)
      await stores.addresses.reserve(reservationOf(account), account.epoch)
      const { email, epoch } = account
      const reserving = callers.map(() => stores.addresses.reserve(reservationOf(account), epoch))
      await Promise.all([...reserving, other.accounts.replace(account.id, { epoch }, { email, epoch: epoch + 1 })])
      isSame(await stores.addresses.listReserved(account.id, 150), [], `what is reserved in round ${round}`)
    }
  },

  'an address stays reserved since the earlier moment and until the later one': async (stores) => {
    const account = await insertOne(stores)
    const { addresses } = stores
    await addresses.reserve(reservationOf(account, 100, 200), account.epoch)
    await addresses.reserve(reservationOf(account, 150, 250), account.epoch)
    await addresses.reserve(reservationOf(account, 160, 210), account.epoch)
    const reserved = { email: account.email, accountId: account.id, since: 100, until: 250 }
    isSame(await addresses.listReserved(account.id, 170), [reserved], 'what is reserved')
    await addresses.reserve(reservationOf(account, 250, 350), account.epoch)
    isSame(await addresses.listReserved(account.id, 260), [{ ...reserved, since: 250, until: 350 }], 'what is anew')
  },

  'what is reserved is listed until its time, the earliest first': async (stores, other) => {
    const latest = await insertOne(stores)
    const { id: accountId } = latest
    const third = reservationOf(latest, 160, 260)
    await stores.addresses.reserve(third, latest.epoch)
    const earliest = await move(stores, latest)
    const first = reservationOf(earliest, 100, 200)
    await stores.addresses.reserve(first, latest.epoch)
    const second = reservationOf(await move(stores, earliest), 150, 250)
    await stores.addresses.reserve(second, latest.epoch)
    await insertMoved(stores)
    isSame(await other.addresses.listReserved(accountId, 199), [first, second, third], 'before the first time')
    isSame(await other.addresses.listReserved(accountId, 200), [second, third], 'at the first time')
    isSame(await other.addresses.listReserved(accountId, 260), [], 'at the last time')
    isSame(await other.addresses.findReserved(first.email, 199), first, 'the first one')
    isSame(await other.addresses.findReserved(first.email, 200), null, 'the first one at its time')
    isSame(await other.addresses.listReserved('acc_unknown', 150), [], 'those of another account')
  },

  'an address is free when it is given up, and not before': async (stores, other) => {
    const { former } = await insertMoved(stores)
    await other.addresses.release(199)
    holds(!(await stores.accounts.insert(drawAccount({ email: former }))), 'before its time it is reserved')
    await other.addresses.release(200)
    holds(await stores.accounts.insert(drawAccount({ email: former })), 'at its time it is free')
  },

  'an account keeps the address that it has when that is given up': async (stores) => {
    const account = await insertOne(stores)
    await stores.addresses.reserve(reservationOf(account), account.epoch)
    await stores.addresses.release(300)
    isAccount(await stores.accounts.getByEmail(account.email), account, 'the account')
    holds(!(await stores.accounts.insert(drawAccount({ email: account.email }))), 'its own address is taken')
    holds(await stores.addresses.reserve(reservationOf(account, 300, 400), account.epoch), 'it can be reserved anew')
  },

  'an account that is removed leaves nothing reserved, and those of others stay': async (stores, other) => {
    const [kept, { account, former }] = [await insertMoved(stores), await insertMoved(stores)]
    await stores.accounts.remove(account.id)
    const reserved = { ...reservationOf(kept.account), email: kept.former }
    isSame(await other.addresses.listReserved(kept.account.id, 150), [reserved], 'what is reserved for another account')
    isSame(await other.addresses.listReserved(account.id, 150), [], 'what is reserved')
    for (const email of [former, account.email]) {
      holds(await other.accounts.insert(drawAccount({ email })), 'its addresses must be free')
    }
  },

  'of parallel changes to an address that is left meanwhile none gets it while it is reserved': async (
    stores,
    other,
  ) => {
    const account = await insertOne(stores)
    await stores.addresses.reserve(reservationOf(account), account.epoch)
    const rivals = await Promise.all(callers.map(() => insertOne(stores)))
    const taking = rivals.map(({ id }, index) => {
      const { accounts } = index % 2 ? stores : other
      const { email } = account
      return index % 4 < 2 ? accounts.replace(id, {}, { email }) : accounts.insert(drawAccount({ email }))
    })
    const [moved] = await Promise.all([move(other, account), ...taking])
    holds(!(await Promise.all(taking)).includes(true), 'each must be false')
    isAccount(await stores.accounts.get(account.id), moved, 'the account that has left it')
    isAccount(await stores.accounts.getByEmail(account.email), null, 'nobody has the address')
  },

  'of parallel changes to an address that is given up exactly one gets it': async (stores, other) => {
    const { former } = await insertMoved(stores)
    await stores.addresses.release(200)
    const rivals = await Promise.all(callers.map(() => insertOne(stores)))
    const outcomes = await Promise.all(
      rivals.map(({ id }, index) => (index % 2 ? stores : other).accounts.replace(id, {}, { email: former })),
    )
    oneWins(outcomes)
    const winner = rivals[outcomes.indexOf(true)]
    isAccount(await stores.accounts.getByEmail(former), winner ? { ...winner, email: former } : null, 'the winner')
  },
}
