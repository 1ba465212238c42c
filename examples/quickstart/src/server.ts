import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createEnvSecrets } from '@latchkey/server/node'
import { openSqliteData } from './data/sqlite-data.ts'
import { createPolicy } from './policy.ts'
import { createAnnouncements } from './publication/announcements.ts'
import { createResolvers } from './resolvers.ts'
import { typeDefs } from './schema.ts'

const { stores, articles, comments, broadcast } = await openSqliteData(':memory:')

/** The publication as `latchkey access` looks at it: every rule of the service, nothing stored, no port opened. */
export const server: Server = createServer({
  baseUrl: 'http://127.0.0.1:4000',
  mailer: createTerminalMailer(),
  secrets: createEnvSecrets(),
  stores,
  signUp: { role: 'READER' },
  policy: createPolicy(articles, comments),
  typeDefs,
  resolvers: createResolvers(articles, comments, createAnnouncements(broadcast)),
})
