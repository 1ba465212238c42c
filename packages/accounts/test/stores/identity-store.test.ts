import { createMemoryAccountStore, type IdentityStore, type StoredAccount } from '@latchkey/accounts'
import { describeIdentityStore } from '@latchkey/accounts/testing'
import {
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
  type RecordStore,
} from '@latchkey/store'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

interface Stores {
  readonly accounts: ReturnType<typeof createMemoryAccountStore>
  readonly records: RecordStore
  readonly documents: DocumentStore
}

type Read = IdentityStore['readIdentity']

/** Two stores in memory, read one after the other. */
const readBoth =
  ({ accounts, records, documents }: Stores): Read =>
  async (key, ids = []) => {
    const record = await records.get(key)
    const account = record?.owner ? await accounts.get(record.owner) : null
    const denials = await Promise.all(ids.map((id) => documents.get('denials', id)))
    return record && account ? { record, account, isDenied: denials.some((denial) => denial !== null) } : null
  }

/** On a clock of their own, which `wait` moves. */
function createKit(read: (stores: Stores) => Read = readBoth, names = (stores: Stores) => stores) {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const stores = {
    accounts: createMemoryAccountStore(),
    records: createMemoryRecordStore({ now }),
    documents: createMemoryDocumentStore(),
  }
  return {
    createStores: () => ({ ...stores, identities: { reads: names(stores), readIdentity: read(stores) } }),
    now,
    wait: async (milliseconds: number) => {
      time += milliseconds
    },
  }
}

describe('two stores in memory', () => {
  describeIdentityStore({ describe, test, ...createKit() })
})

const brokenStores: readonly [mistake: string, fails: string, read: (stores: Stores) => Read][] = [
  [
    'an account is remembered from its first reading',
    'a record is read with its account as it is now',
    ({ accounts, records }) => {
      const insert = accounts.insert
      const first = new Map<string, StoredAccount>()
      Object.assign(accounts, {
        insert: async (account: Parameters<typeof insert>[0]) => {
          first.set(account.id, { keptKey: null, enrolled: [], ...account })
          return insert(account)
        },
      })
      return async (key) => {
        const record = await records.get(key)
        const account = first.get(record?.owner ?? '')
        return record && account && (await accounts.get(account.id)) ? { record, account, isDenied: false } : null
      }
    },
  ],
  [
    'keys are compared without the white space at their ends',
    'keys are compared byte for byte',
    (stores) => (key) => readBoth(stores)(key.trim()),
  ],
  [
    'what it returned before is returned again',
    'changing what was returned changes nothing that is stored',
    (stores) => {
      const returned = new Map<string, Awaited<ReturnType<Read>>>()
      return async (key) => {
        const read = await readBoth(stores)(key)
        if (!read) return null
        if (!returned.has(key)) returned.set(key, structuredClone(read))
        return returned.get(key) ?? null
      }
    },
  ],
  [
    'the account of a removed record is read',
    'nothing is read where the record or the account is absent',
    (stores) => {
      const known = new Map<string, Awaited<ReturnType<Read>>>()
      const remove = stores.records.remove
      Object.assign(stores.records, {
        remove: async (key: string) => {
          known.set(key, await readBoth(stores)(key))
          return remove(key)
        },
      })
      return async (key) => known.get(key) ?? readBoth(stores)(key)
    },
  ],
  [
    'any account is read with a record that has no owner',
    'a record without an owner, or that has expired, is not read',
    ({ accounts, records }) =>
      async (key) => {
        const record = await records.get(key)
        const account = record?.owner ? await accounts.get(record.owner) : (await accounts.list()).items[0]
        return record && account ? { record, account, isDenied: false } : null
      },
  ],
  [
    'a record is read a millisecond too long',
    'a record is read until the millisecond in which it expires',
    (stores) => {
      const last = new Map<string, Awaited<ReturnType<Read>>>()
      return async (key) => {
        const read = await readBoth(stores)(key)
        if (read) last.set(key, read)
        const before = last.get(key)
        return read ?? (before && before.record.expiresAt >= stores.records.now() ? before : null)
      }
    },
  ],
  [
    'only the first id is looked up',
    'one of the ids that are asked is denied, or none',
    (stores) =>
      (key, ids = []) =>
        readBoth(stores)(key, ids.slice(0, 1)),
  ],
  [
    'reads at once share what the first of them has asked',
    'of reads at once each returns what it asked for',
    (stores) => {
      const underWay = new Map<string, ReturnType<Read>>()
      return async (key, ids) => {
        const reading = underWay.get(key) ?? readBoth(stores)(key, ids)
        underWay.set(key, reading)
        return reading.finally(() => underWay.delete(key))
      }
    },
  ],
]

test('the kit for identity stores finds that other stores are named', async () => {
  const other = createMemoryRecordStore()
  const kit = createKit(readBoth, (stores) => ({ ...stores, records: other }))
  const failed = await failedTitles((runner) => describeIdentityStore({ ...runner, ...kit }))
  expect(failed).toEqual(['it names the stores of its database'])
})

test.each(brokenStores)('the kit for identity stores finds that %s', async (_mistake, fails, read) => {
  const failed = await failedTitles((runner) => describeIdentityStore({ ...runner, ...createKit(read) }))
  expect(failed).toContain(fails)
})

describeOutageMistakes({
  name: 'identity stores',
  describeKit: ({ createStore, ...kit }) => describeIdentityStore({ ...kit, createStores: createStore }),
  createStore: () => createKit().createStores(),
  reads: ['readIdentity'],
  changes: [],
})
