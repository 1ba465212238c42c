import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'

/** A whole service: accounts, pages, mails and a schema, like the example in the README of `@latchkey/server`. */
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret.key' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('app.db') }),
  signUp: { role: 'READER' },
  policy: definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } }),
  typeDefs: 'type Query { notes: [String!]! @requires(permissions: "notes:read") }',
  resolvers: { Query: { notes: () => ['Buy milk'] } },
})
