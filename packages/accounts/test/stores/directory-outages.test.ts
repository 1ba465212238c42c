import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountDirectory } from '@latchkey/accounts/testing'
import { describeOutageMistakes } from '@latchkey/test-services'

describeOutageMistakes({
  name: 'account directories',
  describeKit: describeAccountDirectory,
  createStore: createMemoryAccountStore,
  reads: ['list'],
  changes: [],
})
