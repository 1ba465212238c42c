import type { Stores } from './shared-stores.ts'

/** A fault of stores, as a process sees them. */
export type PlantedFault = (stores: Stores) => Stores

/** A swap in two calls: it reads, and writes whatever it has read. */
export const recordsWithoutSwap: PlantedFault = (stores) => ({
  ...stores,
  records: {
    ...stores.records,
    async replace({ key }, next) {
      const latest = await stores.records.get(key)
      return latest !== null && stores.records.replace(latest, next)
    },
  },
})

/** Every removal succeeds, also of what is not there. */
export const removalsForAll: PlantedFault = (stores) => ({
  ...stores,
  records: {
    ...stores.records,
    async remove(key) {
      await stores.records.remove(key)
      return true
    },
  },
})

/** A removal that is acknowledged, and removes nothing. */
export const lostRemovals: PlantedFault = (stores) => ({
  ...stores,
  records: {
    ...stores.records,
    remove: async (key) => (await stores.records.get(key)) !== null,
    removeByOwner: async (owner) => (await stores.records.listByOwner(owner)).items.length,
  },
})

/** A store that has lost its index of owners: what was promised holds all the same, by the epochs of accounts. */
export const lostIndex: PlantedFault = (stores) => ({
  ...stores,
  records: {
    ...stores.records,
    listByOwner: async () => ({ items: [] }),
    removeByOwner: async () => 0,
  },
})

/** A change of an account that compares nothing. */
export const accountsWithoutSwap: PlantedFault = (stores) => ({
  ...stores,
  accounts: { ...stores.accounts, replace: (id, _expected, next) => stores.accounts.replace(id, {}, next) },
})

/** Every account is created, also if its address has one. */
export const insertsForAll: PlantedFault = (stores) => ({
  ...stores,
  accounts: {
    ...stores.accounts,
    async insert(account) {
      await stores.accounts.insert(account)
      return true
    },
  },
})

/** A change of an account that leaves its epoch. */
export const lostEpochs: PlantedFault = (stores) => ({
  ...stores,
  accounts: {
    ...stores.accounts,
    replace: (id, { epoch: _expected, ...expected }, { epoch: _next, ...next }) => {
      return stores.accounts.replace(id, expected, next)
    },
  },
})

/** A change of an account that is acknowledged, and lost. */
export const lostChanges: PlantedFault = (stores) => ({
  ...stores,
  accounts: { ...stores.accounts, replace: async (id) => (await stores.accounts.get(id)) !== null },
})

/** A removal of a document that does not look at its version. */
export const documentsWithoutVersions: PlantedFault = (stores) => ({
  ...stores,
  documents: {
    ...stores.documents,
    remove: ({ collection, id }) => stores.documents.remove({ collection, id }),
  },
})

/** A swap of documents in two calls: it reads, and writes whatever it has read. */
export const documentsWithoutSwap: PlantedFault = (stores) => ({
  ...stores,
  documents: {
    ...stores.documents,
    async replace({ collection, id }, next) {
      const latest = await stores.documents.get(collection, id)
      return latest !== null && stores.documents.replace(latest, next)
    },
  },
})

/** Both faults. */
export function together(one: PlantedFault, other: PlantedFault): PlantedFault {
  return (stores) => other(one(stores))
}
