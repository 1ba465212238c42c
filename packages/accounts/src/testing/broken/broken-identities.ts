import { createMemoryRecordStore } from '@latchkey/store'
import type { IdentityReads, StoredAccount } from '../../store/account-store.ts'
import { type BrokenAccountStore, broken } from './broken-store.ts'
import type { SlowAccountStore } from './slow-account-store.ts'

type Read = IdentityReads['read']

const isAsNow = 'a record is read with its account as it is now'
const isAbsent = 'nothing is read where the record or the account is absent'
const isDenied = 'one of the ids that are asked is denied, or none'
const isOwn = 'a record without an owner, or that has expired, is not read'

function breaking(
  name: string,
  fails: string,
  mistake: (whole: IdentityReads, slow: SlowAccountStore) => Partial<IdentityReads>,
): BrokenAccountStore {
  return broken(name, fails, (slow) => {
    const { identities } = slow.store
    return { identities: { ...identities, ...mistake(identities, slow) } }
  })
}

function rememberInserted({ store }: SlowAccountStore) {
  const insertedAccounts = new Map<string, StoredAccount>()
  const insert: SlowAccountStore['store']['insert'] = async (account) => {
    insertedAccounts.set(account.id, structuredClone({ ...account, keptKey: null, enrolled: [] }))
    return store.insert(account)
  }
  return { insertedAccounts, insert }
}

export const brokenIdentities: readonly BrokenAccountStore[] = [
  broken('an account is read as it was inserted', isAsNow, (slow) => {
    const { insertedAccounts, insert } = rememberInserted(slow)
    const { identities } = slow.store
    return {
      insert,
      identities: {
        ...identities,
        async read(key, ids) {
          const found = await identities.read(key, ids)
          const account = insertedAccounts.get(found?.account.id ?? '')
          return found && account ? { ...found, account: structuredClone(account) } : null
        },
      },
    }
  }),

  broken('a removed account is read', isAbsent, (slow) => {
    const { insertedAccounts, insert } = rememberInserted(slow)
    const { identities } = slow.store
    return {
      insert,
      identities: {
        ...identities,
        async read(key, ids) {
          const [found, record] = [await identities.read(key, ids), await identities.records.get(key)]
          const account = insertedAccounts.get(record?.owner ?? '')
          return found ?? (record && account ? { record, account, isDenied: false } : null)
        },
      },
    }
  }),

  breaking('a removed record is read', isAbsent, (whole) => {
    const removed = new Map<string, Awaited<ReturnType<Read>>>()
    return {
      records: {
        ...whole.records,
        async remove(key) {
          removed.set(key, await whole.read(key))
          return whole.records.remove(key)
        },
      },
      read: async (key, ids) => removed.get(key) ?? whole.read(key, ids),
    }
  }),

  breaking('the store names the records of another database', isAsNow, () => ({ records: createMemoryRecordStore() })),

  breaking('keys are compared without the white space at their ends', 'keys are compared byte for byte', (whole) => ({
    read: (key, ids) => whole.read(key.trim(), ids),
  })),

  breaking(
    'what it returned before is returned again',
    'changing what was returned changes nothing that is stored',
    (whole) => {
      const returned = new Map<string, Awaited<ReturnType<Read>>>()
      return {
        async read(key, ids) {
          const found = await whole.read(key, ids)
          if (!found) return null
          if (!returned.has(key)) returned.set(key, found)
          return returned.get(key) ?? null
        },
      }
    },
  ),

  breaking('any account is read with a record that has no owner', isOwn, (whole, slow) => ({
    async read(key, ids) {
      const record = await whole.records.get(key)
      if (record?.owner !== null) return whole.read(key, ids)
      const [account] = slow.accounts.values()
      return record && account ? { record, account: structuredClone(account), isDenied: false } : null
    },
  })),

  breaking('only the first id is looked up', isDenied, (whole) => ({
    read: (key, ids = []) => whole.read(key, ids.slice(0, 1)),
  })),

  breaking('no id is looked up', isDenied, (whole) => ({ read: (key) => whole.read(key) })),

  breaking('without ids everything is denied', isDenied, (whole) => ({
    async read(key, ids = []) {
      const found = await whole.read(key, ids)
      return found && { ...found, isDenied: found.isDenied || ids.length === 0 }
    },
  })),

  breaking(
    'reads at once share what the first of them has asked',
    'of reads at once each returns what it asked for',
    (whole) => {
      const underWay = new Map<string, ReturnType<Read>>()
      return {
        async read(key, ids) {
          const reading = underWay.get(key) ?? whole.read(key, ids)
          underWay.set(key, reading)
          return reading.finally(() => underWay.delete(key))
        },
      }
    },
  ),
]
