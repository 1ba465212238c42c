import type { Mailer } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server, type ServerStores } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'

const policy = definePolicy({ permissions: [], roles: { READER: {} } })

/** Creates a service with accounts on stores of one's own. */
export function createService(
  stores: ServerStores,
  {
    mailer = createTerminalMailer(),
    secretPath = 'secret.key',
  }: { readonly mailer?: Mailer; readonly secretPath?: string } = {},
): Server {
  return createServer({
    baseUrl: 'http://127.0.0.1:4000',
    secrets: createFileSecrets({ path: secretPath }),
    stores,
    mails: { mailer, maxDelayMs: 0 },
    signUp: { role: 'READER' },
    policy,
    typeDefs: 'type Query { hello: String! @authenticated }',
    resolvers: { Query: { hello: () => 'Hello.' } },
  })
}
