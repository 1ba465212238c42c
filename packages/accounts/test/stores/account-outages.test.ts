import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountDirectory, describeAccountStore } from '@latchkey/accounts/testing'
import { describeOutageMistakes } from '@latchkey/test-services'

describeOutageMistakes({
  name: 'account stores',
  describeKit: describeAccountStore,
  createStore: createMemoryAccountStore,
  reads: ['get', 'getByEmail'],
  changes: ['insert', 'replace', 'remove'],
})

describeOutageMistakes({
  name: 'account directories',
  describeKit: describeAccountDirectory,
  createStore: createMemoryAccountStore,
  reads: ['list'],
  changes: [],
})
