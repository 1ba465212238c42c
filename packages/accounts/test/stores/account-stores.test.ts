import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountDirectory, describeAccountStore } from '@latchkey/accounts/testing'
import { describe, test } from 'vitest'

const store = createMemoryAccountStore()
describeAccountStore({ describe, test, createStore: () => store })
describeAccountDirectory({ describe, test, createStore: () => store })
