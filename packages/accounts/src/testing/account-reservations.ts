import type { AccountStore, StoredAccount } from '../store/account-store.ts'
import type { ReservedAddress } from '../store/address-reservations.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount, oneWins } from './assertions.ts'

type Store = AccountStore & Required<Pick<AccountStore, 'reservations'>>

const callers = Array.from({ length: 16 }, (_none, index) => index)

/** An account that has moved to another address, and the one that is reserved for it from 100 to 200. */
interface Moved {
  readonly account: StoredAccount
  readonly former: string
}

function reservationOf({ id, email }: StoredAccount, since = 100, until = 200): ReservedAddress {
  return { email, accountId: id, since, until }
}

async function insertOne(store: Store): Promise<StoredAccount> {
  const account = drawAccount()
  await store.insert(account)
  return account
}

async function move(store: Store, account: StoredAccount): Promise<StoredAccount> {
  const { email } = drawAccount()
  holds(await store.replace(account.id, { email: account.email }, { email }), 'a move to a free address must be true')
  return { ...account, email }
}

async function insertMoved(store: Store): Promise<Moved> {
  const account = await insertOne(store)
  holds(
    await store.reservations.reserve(reservationOf(account), account.epoch),
    'reserve of the address of an account must be true',
  )
  return { account: await move(store, account), former: account.email }
}

function isSame(actual: unknown, expected: unknown, rule: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${rule}: expected ${right}, got ${left}`)
}

const reservationTests: Readonly<Record<string, (store: Store, other: Store) => Promise<void>>> = {
  'an address that is reserved is given to no other account': async (store, other) => {
    const { account, former } = await insertMoved(store)
    const rival = await insertOne(store)
    holds(!(await other.insert(drawAccount({ email: former }))), 'insert must be false')
    holds(!(await other.replace(rival.id, {}, { email: former })), 'replace must be false')
    isAccount(await store.getByEmail(former), null, 'nobody has the address')
    isAccount(await store.get(account.id), account, 'the account that has left it')
    isAccount(await store.get(rival.id), rival, 'the account that has asked for it')
  },

  'an address that is left without being reserved is free': async (store, other) => {
    const account = await insertOne(store)
    await move(store, account)
    const next = drawAccount({ email: account.email })
    holds(await other.insert(next), 'insert must be true')
    isAccount(await store.getByEmail(account.email), next, 'the account that has taken it')
  },

  'an account moves back to what is reserved for it, and so leaves all others': async (store, other) => {
    const { account, former } = await insertMoved(store)
    holds(await store.reservations.reserve(reservationOf(account, 150, 250), account.epoch), 'reserve must be true')
    const moved = await move(store, account)
    holds(await other.replace(moved.id, { email: moved.email }, { email: former }), 'replace must be true')
    isAccount(await store.get(account.id), { ...account, email: former }, 'the account')
    isSame(await store.reservations.listByAccount(account.id, 160), [], 'what is reserved')
    for (const email of [account.email, moved.email]) {
      holds(await other.insert(drawAccount({ email })), 'the addresses that it has left must be free')
    }
    holds(!(await other.insert(drawAccount({ email: former }))), 'its own address is taken')
  },

  'a swap to the address that an account has ends what is reserved for it': async (store) => {
    const account = await insertOne(store)
    await store.reservations.reserve(reservationOf(account), account.epoch)
    holds(await store.replace(account.id, {}, { email: account.email }), 'replace must be true')
    isSame(await store.reservations.listByAccount(account.id, 150), [], 'what is reserved')
    isAccount(await store.get(account.id), account, 'the account')
    holds(!(await store.insert(drawAccount({ email: account.email }))), 'its own address is taken')
  },

  'a swap of anything else leaves what is reserved': async (store) => {
    const { account, former } = await insertMoved(store)
    await store.reservations.reserve(reservationOf(account, 120, 220), account.epoch)
    await store.replace(account.id, {}, { epoch: 9, passwordHash: null })
    const reserved = [{ ...reservationOf(account), email: former }, reservationOf(account, 120, 220)]
    isSame(await store.reservations.listByAccount(account.id, 150), reserved, 'what is reserved')
  },

  'only the address that an account has can be reserved for it': async (store) => {
    const [account, other] = [await insertOne(store), await insertOne(store)]
    const { email } = drawAccount()
    const refused = [
      { ...reservationOf(account), email },
      { ...reservationOf(account), email: other.email },
      { ...reservationOf(account), accountId: 'acc_unknown' },
    ]
    for (const address of refused) {
      holds((await store.reservations.reserve(address, account.epoch)) === false, 'reserve must be false')
      holds((await store.reservations.find(address.email, 150)) === null, 'nothing may be reserved')
    }
  },

  'an address is reserved at the epoch of the account only': async (store, other) => {
    const account = await insertOne(store)
    const reserve = (epoch: number): Promise<boolean> => store.reservations.reserve(reservationOf(account), epoch)
    await other.replace(account.id, {}, { epoch: account.epoch + 1 })
    for (const epoch of [account.epoch, account.epoch + 2])
      holds((await reserve(epoch)) === false, 'reserve must be false')
    isSame(await store.reservations.listByAccount(account.id, 150), [], 'what is reserved')
    holds(await reserve(account.epoch + 1), 'reserve at the epoch that it has must be true')
  },

  'of an account that moves back meanwhile nothing is reserved': async (store, other) => {
    for (const round of callers) {
      const account = await insertOne(store)
      await store.reservations.reserve(reservationOf(account), account.epoch)
      const { email, epoch } = account
      const reserving = callers.map(() => store.reservations.reserve(reservationOf(account), epoch))
      await Promise.all([...reserving, other.replace(account.id, { epoch }, { email, epoch: epoch + 1 })])
      isSame(await store.reservations.listByAccount(account.id, 150), [], `what is reserved in round ${round}`)
    }
  },

  'an address stays reserved since the earlier moment and until the later one': async (store) => {
    const account = await insertOne(store)
    const { reservations } = store
    await reservations.reserve(reservationOf(account, 100, 200), account.epoch)
    await reservations.reserve(reservationOf(account, 150, 250), account.epoch)
    await reservations.reserve(reservationOf(account, 160, 210), account.epoch)
    const reserved = { email: account.email, accountId: account.id, since: 100, until: 250 }
    isSame(await reservations.listByAccount(account.id, 170), [reserved], 'what is reserved')
    await reservations.reserve(reservationOf(account, 90, 240), account.epoch)
    reserved.since = 90
    isSame(await reservations.listByAccount(account.id, 170), [reserved], 'what is reserved')
    await reservations.reserve(reservationOf(account, 250, 350), account.epoch)
    isSame(await reservations.listByAccount(account.id, 260), [{ ...reserved, since: 250, until: 350 }], 'what is anew')
  },

  'what is reserved is listed until its time, the earliest first': async (store, other) => {
    const latest = await insertOne(store)
    const { id: accountId } = latest
    const third = reservationOf(latest, 160, 260)
    await store.reservations.reserve(third, latest.epoch)
    const earliest = await move(store, latest)
    const first = reservationOf(earliest, 100, 200)
    await store.reservations.reserve(first, latest.epoch)
    const second = reservationOf(await move(store, earliest), 150, 250)
    await store.reservations.reserve(second, latest.epoch)
    await insertMoved(store)
    isSame(await other.reservations.listByAccount(accountId, 199), [first, second, third], 'before the first time')
    isSame(await other.reservations.listByAccount(accountId, 200), [second, third], 'at the first time')
    isSame(await other.reservations.listByAccount(accountId, 260), [], 'at the last time')
    isSame(await other.reservations.find(first.email, 199), first, 'the first one')
    isSame(await other.reservations.find(first.email, 200), null, 'the first one at its time')
    isSame(await other.reservations.listByAccount('acc_unknown', 150), [], 'those of another account')
  },

  'changing a returned reservation changes nothing that is stored': async (store) => {
    const { account, former } = await insertMoved(store)
    const reserved = { ...reservationOf(account), email: former }
    const [listed] = await store.reservations.listByAccount(account.id, 150)
    for (const given of [listed, await store.reservations.find(former, 150)])
      if (given && !Object.isFrozen(given)) Object.assign(given, { accountId: 'acc_spoiled', until: 999 })
    isSame(await store.reservations.listByAccount(account.id, 150), [reserved], 'what is reserved')
    isSame(await store.reservations.find(former, 150), reserved, 'the reservation')
  },

  'an address is free when it is given up, and not before': async (store, other) => {
    const { former } = await insertMoved(store)
    await other.reservations.release(199)
    holds(!(await store.insert(drawAccount({ email: former }))), 'before its time it is reserved')
    await other.reservations.release(200)
    holds(await store.insert(drawAccount({ email: former })), 'at its time it is free')
  },

  'an address that is reserved for longer is free at the later end': async (store, other) => {
    const account = await insertOne(store)
    await store.reservations.reserve(reservationOf(account), account.epoch)
    await other.reservations.reserve(reservationOf(account, 150, 250), account.epoch)
    await move(store, account)
    await store.reservations.release(249)
    holds(!(await other.insert(drawAccount({ email: account.email }))), 'before the later end it is reserved')
    await store.reservations.release(250)
    holds(await other.insert(drawAccount({ email: account.email })), 'at the later end it is free')
  },

  'an account keeps the address that it has when that is given up': async (store) => {
    const account = await insertOne(store)
    await store.reservations.reserve(reservationOf(account), account.epoch)
    await store.reservations.release(300)
    isAccount(await store.getByEmail(account.email), account, 'the account')
    holds(!(await store.insert(drawAccount({ email: account.email }))), 'its own address is taken')
    holds(await store.reservations.reserve(reservationOf(account, 300, 400), account.epoch), 'it can be reserved anew')
  },

  'an account that is removed leaves nothing reserved, and those of others stay': async (store, other) => {
    const [kept, { account, former }] = [await insertMoved(store), await insertMoved(store)]
    holds(!(await store.remove(account.id, { epoch: account.epoch + 1 })), 'a removal that expects another epoch')
    const own = { ...reservationOf(account), email: former }
    isSame(await other.reservations.listByAccount(account.id, 150), [own], 'what is reserved after a refused removal')
    holds(await store.remove(account.id), 'the account is there')
    const reserved = { ...reservationOf(kept.account), email: kept.former }
    isSame(
      await other.reservations.listByAccount(kept.account.id, 150),
      [reserved],
      'what is reserved for another account',
    )
    isSame(await other.reservations.listByAccount(account.id, 150), [], 'what is reserved')
    for (const email of [former, account.email]) {
      holds(await other.insert(drawAccount({ email })), 'its addresses must be free')
    }
  },

  'of parallel changes to an address that is left meanwhile none gets it while it is reserved': async (
    store,
    other,
  ) => {
    const account = await insertOne(store)
    await store.reservations.reserve(reservationOf(account), account.epoch)
    const rivals = await Promise.all(callers.map(() => insertOne(store)))
    const take = ({ id }: StoredAccount, index: number): Promise<boolean> => {
      const client = index % 2 ? store : other
      const { email } = account
      return index % 4 < 2 ? client.replace(id, {}, { email }) : client.insert(drawAccount({ email }))
    }
    // The later tries meet the change half made.
    const taking = rivals.map(async (rival, index) => {
      for (let left = 3; left > 0; left--) if (await take(rival, index)) return true
      return false
    })
    const [moved] = await Promise.all([move(other, account), ...taking])
    holds(!(await Promise.all(taking)).includes(true), 'each must be false')
    isAccount(await store.get(account.id), moved, 'the account that has left it')
    isAccount(await store.getByEmail(account.email), null, 'nobody has the address')
  },

  'of parallel changes to an address that is given up exactly one gets it': async (store, other) => {
    const { former } = await insertMoved(store)
    await store.reservations.release(200)
    const rivals = await Promise.all(callers.map(() => insertOne(store)))
    const outcomes = await Promise.all(
      rivals.map(({ id }, index) => (index % 2 ? store : other).replace(id, {}, { email: former })),
    )
    oneWins(outcomes)
    const winner = rivals[outcomes.indexOf(true)]
    isAccount(await store.getByEmail(former), winner ? { ...winner, email: former } : null, 'the winner')
  },
}

/** With the group `reservations`. */
export const accountReservations: AccountTests = Object.fromEntries(
  Object.entries(reservationTests).map(([title, body]) => [
    title,
    async ({ store, other }) => {
      if (!hasReservations(store) || !hasReservations(other)) {
        throw new Error('"reservations" must be there: the kit was told so by "optional"')
      }
      await body(store, other)
    },
  ]),
)

function hasReservations(store: AccountStore): store is Store {
  return store.reservations !== undefined
}
