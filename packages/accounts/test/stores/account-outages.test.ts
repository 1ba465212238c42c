import { type AccountStore, createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountStore } from '@latchkey/accounts/testing'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { describeOutageMistakes } from '@latchkey/test-services'
import { createIdentityReads } from './create-identity-reads.ts'

describeOutageMistakes<AccountStore>({
  name: 'account stores',
  describeKit: (kit) =>
    describeAccountStore({ ...kit, optional: ['getMany', 'listRoleHolders', 'reservations', 'identities'] }),
  createStore() {
    const accounts = createMemoryAccountStore()
    const stores = { accounts, records: createMemoryRecordStore(), documents: createMemoryDocumentStore() }
    return { ...accounts, identities: createIdentityReads(stores) }
  },
  reads: ['get', 'getMany', 'getByEmail', 'list', 'listRoleHolders', 'listByAccount', 'find', 'read'],
  changes: ['insert', 'replace', 'remove', 'reserve', 'release'],
})
