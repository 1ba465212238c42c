import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'

/** Sign-up and sign-in with a password. Members may add an authenticator app, and can read the plan only with its code. */
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
  stores: createSqliteStores({ database: () => new DatabaseSync('app.db') }),
  signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes },
  signUp: { role: 'MEMBER' },
  policy: definePolicy({ permissions: ['plan:read'], roles: { MEMBER: { permissions: ['plan:read'] } } }),
  typeDefs: 'type Query { plan: String! @requires(permissions: "plan:read") @stepUp(maxAgeSeconds: 300) }',
  resolvers: { Query: { plan: () => 'We meet at the lighthouse.' } },
})
