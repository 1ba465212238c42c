import { createMemoryDocumentStore } from '@latchkey/store'
import { describeDocumentStore } from '@latchkey/store/testing'
import { describe, test } from 'vitest'

describe('the memory store', () => {
  const store = createMemoryDocumentStore()
  describeDocumentStore({ describe, test, createStore: () => store })
})
