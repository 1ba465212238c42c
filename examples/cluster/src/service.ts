import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createEnvSecrets } from '@latchkey/server/node'
import { createStores } from './stores.ts'

const typeDefs = /* GraphQL */ `
  type Query { process: Int! @public }
  type Mutation { ring: Int! @requires(permissions: "bell:ring") }
  type Subscription { rings: Int! @requires(permissions: "bell:ring") }`

/** Creates the service of one process, which keeps all data in PostgreSQL and Redis. */
export function createService({
  databaseUrl,
  redisUrl,
  publicUrl,
  ports,
  deadlineMs = 250,
}: {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** The address of nginx, as browsers show it. */
  readonly publicUrl: string
  /** The ports of all processes, for requests that do not come through nginx. */
  readonly ports: readonly string[]
  /** How long a request waits for PostgreSQL and Redis. */
  readonly deadlineMs?: number
}): Server {
  const { stores, broadcast } = createStores(databaseUrl, redisUrl, deadlineMs)
  const ring = async (): Promise<number> => {
    await broadcast.publish('rings', String(process.pid))
    return process.pid
  }
  return createServer({
    baseUrl: publicUrl,
    http: {
      trustedProxies: ['127.0.0.1'], // without it all clients would have the address of nginx
      allowedHosts: ports.map((port) => `127.0.0.1:${port}`),
    },
    secrets: createEnvSecrets(), // LATCHKEY_SECRET, the same in every process
    stores,
    mails: { mailer: createTerminalMailer() },
    signUp: { role: 'MEMBER' },
    policy: definePolicy({ permissions: ['bell:ring'], roles: { MEMBER: { permissions: ['bell:ring'] } } }),
    typeDefs,
    resolvers: {
      Query: { process: () => process.pid },
      Mutation: { ring },
      Subscription: { rings: { subscribe: () => broadcast.listen('rings'), resolve: Number } },
    },
  })
}
