import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerOptions } from '@latchkey/server'
import { createSqliteStores } from '@latchkey/sql'
import { createUserAccounts } from './user-accounts.ts'
import { openDatabase } from './users-table.ts'

const policy = definePolicy({
  permissions: ['accounts:read'],
  roles: { MEMBER: {}, ADMIN: { permissions: ['accounts:read'] } },
})

type Given = 'secrets' | 'mails' | 'signIn' | 'observe'

/** Creates the service on the table that was there before, in the database at that path. */
export function createService(path: string, options: Pick<ServerOptions<typeof policy>, Given>): Server {
  // Everything but the accounts lies in tables of its own beside `users`. What of the set is about accounts is left out.
  const { records, documents, lockouts, counters, audit, ...tables } = createSqliteStores({
    database: () => openDatabase(path),
  })
  const database = openDatabase(path)
  const close = async (): Promise<void> => {
    await tables.close()
    database.close()
  }
  return createServer({
    baseUrl: 'http://127.0.0.1:4000',
    stores: {
      ...{ records, documents, lockouts, counters, audit },
      accounts: createUserAccounts(database),
      migrate: tables.migrate,
      check: tables.check,
      close,
    },
    signUp: { role: 'MEMBER' },
    policy,
    typeDefs: 'type Query { hello: String! @authenticated }',
    resolvers: { Query: { hello: () => 'You are still you.' } },
    ...options,
  })
}
