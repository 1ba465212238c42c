import { createMemoryAccountStore } from '@latchkey/accounts'
import { createAuthorizationServer, type FixedClient } from '@latchkey/oauth/server'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { onTestFinished } from 'vitest'

/** A service in this process, whose client `shop` is answered at `callback`, until the test is over. */
export async function openService(baseUrl: string, callback: string): Promise<TestServer> {
  const service = await createTestServer(createService(baseUrl, callback))
  onTestFinished(() => service.close())
  return service
}

function createService(baseUrl: string, callback: string) {
  const writes = { count: 0 }
  return createServer({
    baseUrl,
    http: { corsOrigins: [new URL(callback).origin] },
    oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [shop(callback)] }),
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] },
    stores: {
      accounts: createMemoryAccountStore(),
      records: createMemoryRecordStore(),
      counters: createMemoryCounterStore(),
      documents: createMemoryDocumentStore(),
    },
    mails: { mailer: { send: async () => {} } },
    signUp: { role: 'READER' },
    policy: definePolicy({ permissions: ['notes:write'], roles: { READER: { permissions: ['notes:write'] } } }),
    typeDefs: `
      type Query { secret: String! @authenticated }
      type Mutation { write: Int! @requires(permissions: "notes:write") }`,
    resolvers: {
      Query: { secret: () => 'a secret' },
      Mutation: { write: () => ++writes.count },
    },
  })
}

function shop(callback: string): FixedClient {
  return {
    id: 'shop',
    name: 'Shop',
    authentication: ['none'],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [callback],
    firstParty: true,
    scopes: ['openid', 'profile', 'email', 'online_access', 'notes:write'],
  }
}
