import { createMemoryAccountStore } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'

/** A service that is created while its module is loaded, where Workers allow no random values and no timers. */
const server = createServer({
  baseUrl: 'https://example.com',
  mails: { mailer: { send: async () => undefined } },
  secrets: { load: async () => [{ id: 'first', bytes: new Uint8Array(32).fill(7) }] },
  stores: {
    records: createMemoryRecordStore(),
    accounts: createMemoryAccountStore(),
    documents: createMemoryDocumentStore(),
    counters: createMemoryCounterStore(),
  },
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: [], roles: { MEMBER: {} } }),
  typeDefs: 'type Query { hello: String! @public }',
  resolvers: { Query: { hello: () => 'Hello' } },
})

export default server
