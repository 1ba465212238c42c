import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountStore } from '@latchkey/accounts/testing'
import { describeOutageMistakes } from '@latchkey/test-services'

describeOutageMistakes({
  name: 'account stores',
  describeKit: describeAccountStore,
  createStore: createMemoryAccountStore,
  reads: ['get', 'getMany', 'getByEmail'],
  changes: ['insert', 'replace', 'remove'],
})
