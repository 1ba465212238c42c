import { pause } from '@latchkey/core/internal'
import type { AddressReservations } from '../../store/address-reservations.ts'
import { type BrokenAccountStore, broken } from './broken-store.ts'
import type { SlowAccountStore } from './slow-account-store.ts'

const isReserved = 'an address that is reserved is given to no other account'
const movesBack = 'an account moves back to what is reserved for it, and so leaves all others'
const isListed = 'what is reserved is listed until its time, the earliest first'
const staysReserved = 'an address stays reserved since the earlier moment and until the later one'
const isRemoved = 'an account that is removed leaves nothing reserved, and those of others stay'
const isReleased = 'an address is free when it is given up, and not before'

function breaking(
  name: string,
  fails: string,
  mistake: (whole: AddressReservations, slow: SlowAccountStore) => Partial<AddressReservations>,
): BrokenAccountStore {
  return broken(name, fails, (slow) => {
    const { reservations } = slow.store
    return { reservations: { ...reservations, ...mistake(reservations, slow) } }
  })
}

export const brokenReservations: readonly BrokenAccountStore[] = [
  breaking('nothing is reserved', isReserved, (_whole, slow) => ({
    reserve: async ({ accountId }) => (await slow.store.get(accountId)) !== null,
  })),

  broken('insert ignores reservations', isReserved, (slow) => ({
    async insert(account) {
      await slow.roundTrip()
      if (slow.accounts.has(account.id) || slow.findByEmail(account.email)) return false
      slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
  })),

  broken('replace ignores reservations', isReserved, (slow) => ({
    async replace(id, expected, next) {
      if (next.email !== undefined && slow.reserved.get(next.email)?.accountId !== id) slow.reserved.delete(next.email)
      return slow.store.replace(id, expected, next)
    },
  })),

  broken(
    'an address is left and then reserved',
    'of parallel changes to an address that is left meanwhile none gets it while it is reserved',
    (slow) => ({
      async replace(id, expected, next) {
        const left = slow.reserved.get(slow.accounts.get(id)?.email ?? '')
        if (!left || next.email === undefined || next.email === left.email)
          return slow.store.replace(id, expected, next)
        slow.reserved.delete(left.email)
        const isSwapped = await slow.store.replace(id, expected, next)
        await slow.roundTrip()
        slow.reserved.set(left.email, left)
        return isSwapped
      },
    }),
  ),

  broken(
    'every address that an account leaves stays reserved',
    'an address that is left without being reserved is free',
    (slow) => ({
      async replace(id, expected, next) {
        const { email } = slow.accounts.get(id) ?? {}
        const isSwapped = await slow.store.replace(id, expected, next)
        if (isSwapped && email !== undefined && next.email !== undefined && next.email !== email)
          slow.reserved.set(email, slow.reserved.get(email) ?? { email, accountId: id, since: 100, until: 200 })
        return isSwapped
      },
    }),
  ),

  breaking('any address can be reserved', 'only the address that an account has can be reserved for it', (whole) => ({
    reserve: async (...given) => (await whole.reserve(...given)) || true,
  })),

  breaking(
    'an address is reserved at any epoch',
    'an address is reserved at the epoch of the account only',
    (whole, slow) => ({
      reserve: async (address) => whole.reserve(address, (await slow.store.get(address.accountId))?.epoch ?? 0),
    }),
  ),

  breaking(
    'the epoch is read before the address is reserved',
    'of an account that moves back meanwhile nothing is reserved',
    (whole, slow) => ({
      async reserve(address, epoch) {
        const account = await slow.store.get(address.accountId)
        if (account?.epoch !== epoch) return false
        await pause(1)
        return whole.reserve(address, (await slow.store.get(address.accountId))?.epoch ?? 0)
      },
    }),
  ),

  broken('nobody moves back', movesBack, (slow) => ({
    replace: async (id, expected, next) =>
      !slow.reserved.has(next.email ?? '') && slow.store.replace(id, expected, next),
  })),

  broken('who moves back keeps the other reservations', movesBack, (slow) => ({
    async replace(id, expected, next) {
      const others = [...slow.reserved.values()].filter(({ email }) => email !== next.email)
      const isSwapped = await slow.store.replace(id, expected, next)
      for (const address of isSwapped ? others : []) slow.reserved.set(address.email, address)
      return isSwapped
    },
  })),

  broken('a swap of anything leaves nothing reserved', 'a swap of anything else leaves what is reserved', (slow) => ({
    async replace(id, expected, next) {
      const isSwapped = await slow.store.replace(id, expected, next)
      if (isSwapped && next.email === undefined)
        for (const { accountId, email } of [...slow.reserved.values()])
          if (accountId === id) slow.reserved.delete(email)
      return isSwapped
    },
  })),

  broken(
    'a swap to the same address leaves it reserved',
    'a swap to the address that an account has ends what is reserved for it',
    (slow) => ({
      async replace(id, expected, next) {
        const before = next.email === undefined ? undefined : slow.reserved.get(next.email)
        const isSame = slow.accounts.get(id)?.email === next.email
        const isSwapped = await slow.store.replace(id, expected, next)
        if (isSwapped && isSame && before) slow.reserved.set(before.email, before)
        return isSwapped
      },
    }),
  ),

  breaking('the later moment wins', staysReserved, (whole, slow) => ({
    async reserve(address, epoch) {
      const isReserved = await whole.reserve(address, epoch)
      const stored = slow.reserved.get(address.email)
      if (isReserved && stored) slow.reserved.set(address.email, { ...stored, since: address.since })
      return isReserved
    },
  })),

  breaking('the first moment wins', staysReserved, (whole, slow) => ({
    async reserve(address, epoch) {
      const before = slow.reserved.get(address.email)
      const isReserved = await whole.reserve(address, epoch)
      const stored = slow.reserved.get(address.email)
      if (isReserved && stored && before && before.until > address.since)
        slow.reserved.set(address.email, { ...stored, since: before.since })
      return isReserved
    },
  })),

  breaking('the last time wins', staysReserved, (whole, slow) => ({
    async reserve(address, epoch) {
      const isReserved = await whole.reserve(address, epoch)
      const stored = slow.reserved.get(address.email)
      if (isReserved && stored) slow.reserved.set(address.email, { ...stored, until: address.until })
      return isReserved
    },
  })),

  breaking('a reservation that has ended goes on', staysReserved, (whole, slow) => ({
    async reserve(address, epoch) {
      const before = slow.reserved.get(address.email)
      const isReserved = await whole.reserve(address, epoch)
      const stored = slow.reserved.get(address.email)
      if (isReserved && stored) slow.reserved.set(address.email, { ...stored, since: before?.since ?? stored.since })
      return isReserved
    },
  })),

  breaking('the end of its time is still within it', isListed, (whole) => ({
    listByAccount: (id, now) => whole.listByAccount(id, now - 1),
  })),

  breaking('the end of its time is still found', isListed, (whole) => ({
    find: (email, now) => whole.find(email, now - 1),
  })),

  breaking('the latest is listed first', isListed, (whole) => ({
    listByAccount: async (...given) => [...(await whole.listByAccount(...given))].reverse(),
  })),

  breaking('those of all accounts are listed', isListed, (_whole, slow) => ({
    listByAccount: async (_id, now) =>
      structuredClone(
        [...slow.reserved.values()].filter(({ until }) => until > now).sort((one, two) => one.since - two.since),
      ),
  })),

  breaking(
    'the stored reservation is returned',
    'changing a returned reservation changes nothing that is stored',
    (_whole, slow) => ({
      async find(email, now) {
        await slow.roundTrip()
        const address = slow.reserved.get(email)
        return address && address.until > now ? address : null
      },
    }),
  ),

  broken('a removed account keeps its reservations', isRemoved, (slow) => ({
    async remove(id) {
      await slow.roundTrip()
      return slow.accounts.delete(id)
    },
  })),

  broken('a refused removal releases the addresses of its account', isRemoved, (slow) => ({
    async remove(id, expected) {
      for (const { email, accountId } of [...slow.reserved.values()]) if (accountId === id) slow.reserved.delete(email)
      return slow.store.remove(id, expected)
    },
  })),

  broken('a removal releases the addresses of all accounts', isRemoved, (slow) => ({
    async remove(id, expected) {
      const isDone = await slow.store.remove(id, expected)
      slow.reserved.clear()
      return isDone
    },
  })),

  breaking('an address is released before its time', isReleased, (whole) => ({
    release: (now) => whole.release(now + 1),
  })),

  breaking('an address is released after its time', isReleased, (whole) => ({
    release: (now) => whole.release(now - 1),
  })),

  breaking(
    'a release goes by the first end of a reservation',
    'an address that is reserved for longer is free at the later end',
    (whole, slow) => {
      const ends = new Map<string, number>()
      return {
        async reserve(address, epoch) {
          const isReserved = await whole.reserve(address, epoch)
          if (isReserved && !ends.has(address.email)) ends.set(address.email, address.until)
          return isReserved
        },
        async release(now) {
          await slow.roundTrip()
          for (const { email } of [...slow.reserved.values()])
            if ((ends.get(email) ?? 0) <= now && !slow.findByEmail(email)) slow.reserved.delete(email)
        },
      }
    },
  ),

  breaking('nothing is released', isReleased, () => ({ release: async () => {} })),
]
