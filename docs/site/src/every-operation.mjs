// A service with every option that adds operations: its schema is the reference of the account operations.
import { allowNativeDelivery, createMemoryAccountStore } from '../../../packages/accounts/src/index.ts'
import { randomBytes } from '../../../packages/bytes/src/index.ts'
import { createAuthorizationServer } from '../../../packages/oauth/src/server.ts'
import { createPasskeys } from '../../../packages/passkeys/src/index.ts'
import { definePolicy } from '../../../packages/rbac/src/index.ts'
import { createServer } from '../../../packages/server/src/index.ts'
import {
  createMemoryAuditStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '../../../packages/store/src/index.ts'
import { createRecoveryCodes, createTotp } from '../../../packages/totp/src/index.ts'

const permissions = ['accounts:read', 'accounts:update', 'accounts:impersonate', 'audit:read', 'articles:read']

export function everyOperation() {
  return createServer({
    baseUrl: 'https://example.com',
    secrets: { load: async () => [{ id: 'k1', bytes: randomBytes(32) }] },
    stores: {
      accounts: createMemoryAccountStore(),
      audit: createMemoryAuditStore(),
      counters: createMemoryCounterStore(),
      documents: createMemoryDocumentStore(),
      records: createMemoryRecordStore(),
    },
    mails: { mailer: { send: async () => {} } },
    signUp: { role: 'ADMIN' },
    signIn: {
      totp: createTotp,
      passkeys: createPasskeys,
      recoveryCodes: createRecoveryCodes,
      emailCode: {},
      providers: {},
    },
    sessions: { nativeDelivery: allowNativeDelivery },
    accounts: {
      apiKeys: { prefix: 'notes_', scopes: ['articles:read'] },
      changingRoles: {},
      deletion: { onDelete: async () => {} },
      impersonation: {},
    },
    oauth: createAuthorizationServer,
    policy: definePolicy({ permissions, roles: { ADMIN: { permissions } } }),
    // Every type has to be there for `extend type`; the field is left out of the reference.
    typeDefs: 'type Query { yours: String @public } type Mutation { yours: String @public }',
    resolvers: { Query: { yours: () => null }, Mutation: { yours: () => null } },
  })
}
