import type { AccountStore } from '../../store/account-store.ts'
import { type BrokenAccountStore, broken } from './broken-store.ts'

/** Mistakes in methods other than swaps and lists. */
export const brokenInserts: readonly BrokenAccountStore[] = [
  broken(
    'insert looks for the e-mail and then writes',
    'of parallel inserts of one e-mail exactly one wins',
    (slow) => ({
      async insert(account) {
        if (await slow.store.getByEmail(account.email)) return false
        await slow.roundTrip()
        if (slow.accounts.has(account.id)) return false
        slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
        return true
      },
    }),
  ),

  broken('insert looks for the id and then writes', 'of parallel inserts of one id exactly one wins', (slow) => ({
    async insert(account) {
      if (await slow.store.get(account.id)) return false
      await slow.roundTrip()
      if (slow.findByEmail(account.email)) return false
      slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
  })),

  broken('insert overwrites', 'an id or an e-mail that is taken refuses an insert and changes nothing', (slow) => ({
    async insert(account) {
      await slow.roundTrip()
      slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
      return true
    },
  })),

  broken(
    'e-mails are compared without accents',
    'e-mails that differ in one character belong to two accounts',
    (slow) => {
      const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
      const insert: AccountStore['insert'] = async (account) => {
        const isTaken = [...slow.accounts.values()].some(({ email }) => fold(email) === fold(account.email))
        return !isTaken && slow.store.insert(account)
      }
      return { insert }
    },
  ),

  broken('no account can be locked', 'any text and any number that an account can hold comes back', (slow) => ({
    insert: async (account) => account.status !== 'locked' && slow.store.insert(account),
  })),

  broken('ids are compared in one case', 'ids that differ in one character belong to two accounts', (slow) => ({
    async get(id) {
      await slow.roundTrip()
      const found = [...slow.accounts.values()].find((account) => account.id.toLowerCase() === id.toLowerCase())
      return structuredClone(found ?? null)
    },
  })),

  broken(
    'ids are compared without the space at their end',
    'ids that differ in one character belong to two accounts',
    (slow) => ({
      get: (id) => slow.store.get(id.trimEnd()),
    }),
  ),

  broken('an e-mail is found in any case', 'an e-mail in another spelling finds no account', (slow) => ({
    getByEmail: (email) => slow.store.getByEmail(email.toLowerCase()),
  })),

  broken('an e-mail is found with spaces around it', 'an e-mail in another spelling finds no account', (slow) => ({
    getByEmail: (email) => slow.store.getByEmail(email.trim()),
  })),

  broken(
    'two accounts have one e-mail',
    'an id or an e-mail that is taken refuses an insert and changes nothing',
    (slow) => ({
      async insert(account) {
        await slow.roundTrip()
        if (slow.accounts.has(account.id)) return false
        slow.accounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
        return true
      },
    }),
  ),

  broken('remove is true for every caller that saw the account', 'of parallel removes exactly one wins', (slow) => ({
    async remove(id, expected) {
      const found = await slow.store.get(id)
      await slow.store.remove(id, expected)
      return found !== null
    },
  })),

  broken('remove does not look at the epoch', 'a removal that expects another epoch changes nothing', (slow) => ({
    remove: (id) => slow.store.remove(id),
  })),

  broken(
    'remove compares the epoch before it removes',
    'of a raise of the epoch and a removal that expects the epoch before it exactly one wins',
    (slow) => ({
      async remove(id, expected) {
        const account = await slow.store.get(id)
        return account !== null && account.epoch === (expected?.epoch ?? account.epoch) && slow.store.remove(id)
      },
    }),
  ),

  broken(
    'the second remove is true as well',
    'a removed account is gone on every client, and its e-mail is free',
    (slow) => ({
      async remove(id, expected) {
        await slow.store.remove(id, expected)
        return true
      },
    }),
  ),

  broken(
    'a removed account is kept, marked',
    'a removed account is gone on every client, and its e-mail is free',
    (slow) => ({
      async remove(id) {
        await slow.roundTrip()
        const account = slow.accounts.get(id)
        if (!account || account.status === 'disabled') return false
        slow.accounts.set(id, { ...account, status: 'disabled' })
        return true
      },
    }),
  ),

  broken(
    'get returns the stored object itself',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async get(id) {
        await slow.roundTrip()
        return slow.accounts.get(id) ?? null
      },
    }),
  ),

  broken(
    'of many accounts a hundred are read',
    'many accounts are read at once: those that exist, each once, and no others',
    (slow) => ({ getMany: (ids) => slow.store.getMany(ids.slice(0, 100)) }),
  ),

  broken(
    'many accounts are read as stored objects',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async getMany(ids) {
        await slow.roundTrip()
        return ids.flatMap((id) => slow.accounts.get(id) ?? [])
      },
    }),
  ),

  broken(
    'insert keeps the object that it was given',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async insert(account) {
        const isInserted = await slow.store.insert(account)
        if (isInserted) slow.accounts.set(account.id, { ...account, keptKey: null, enrolled: [] })
        return isInserted
      },
    }),
  ),

  broken(
    'replace keeps the lists that it was given',
    'changing an object that was passed in or returned changes no account',
    (slow) => ({
      async replace(id, expected, next) {
        const isSwapped = await slow.store.replace(id, expected, next)
        const account = slow.accounts.get(id)
        if (isSwapped && account) slow.accounts.set(id, { ...account, ...next })
        return isSwapped
      },
    }),
  ),
]
