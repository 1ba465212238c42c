import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'

/** Creates the service of accounts, which keeps its data in a folder. */
export function createService(baseUrl: string, folder: string): Server {
  return createServer({
    baseUrl,
    mails: { mailer: createTerminalMailer() },
    secrets: createFileSecrets({ path: join(folder, 'secret.key') }),
    stores: createSqliteStores({ database: () => new DatabaseSync(join(folder, 'app.db')) }),
    signUp: { role: 'MEMBER' },
    policy: definePolicy({
      permissions: ['orders:read'],
      roles: { MEMBER: { permissions: ['orders:read'] } },
    }),
    typeDefs: 'type Query { orders: [String!]! @requires(permissions: "orders:read") }',
    resolvers: { Query: { orders: () => ['A kettle'] } },
  })
}
