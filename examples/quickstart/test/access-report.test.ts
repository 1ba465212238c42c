import { allowNativeDelivery } from '@latchkey/accounts'
import { reportAccess } from '@latchkey/graphql'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import { createEnvSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryBroadcast } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../src/data/open-database.ts'
import { createPublicationTables } from '../src/data/publication-tables.ts'
import { createSqliteArticles } from '../src/data/sqlite-articles.ts'
import { createSqliteComments } from '../src/data/sqlite-comments.ts'
import { createPolicy } from '../src/policy.ts'
import { createAnnouncements } from '../src/publication/announcements.ts'
import { createResolvers } from '../src/resolvers.ts'
import { typeDefs } from '../src/schema.ts'
import { server } from '../src/server.ts'

function createPublication(schema: string): Server {
  const database = openDatabase(':memory:')
  createPublicationTables(database)
  const [articles, comments] = [createSqliteArticles(() => database), createSqliteComments(() => database)]
  return createServer({
    baseUrl: 'http://127.0.0.1:4000',
    sessions: { nativeDelivery: allowNativeDelivery },
    mails: { mailer: createTerminalMailer() },
    secrets: createEnvSecrets({ environment: { LATCHKEY_SECRET: 'x'.repeat(32) } }),
    stores: createSqliteStores({ database: () => database }),
    signUp: { role: 'READER' },
    policy: createPolicy(articles, comments),
    typeDefs: schema,
    resolvers: createResolvers(articles, comments, createAnnouncements(createMemoryBroadcast())),
  })
}

describe('the access report', () => {
  test('names the rule of every coordinate', () => {
    expect(reportAccess(server.access).text).toMatchSnapshot()
  })

  test.each([
    ['Article.secret', typeDefs.replace('rating: Float @public', 'rating: Float @public\n    secret: String')],
    ['Mutation.deleteArticle', typeDefs.replace(/@requires\(permissions: "articles:delete"\) @owner\(.*?\)/, '')],
    ['Node.id', typeDefs.replace('interface Node {\n    id: ID! @public', 'interface Node {\n    id: ID!')],
  ])('a field without a rule stops the start and is named: %s', (coordinate, schema) => {
    expect(schema).not.toBe(typeDefs)
    expect(() => createPublication(schema)).toThrow(TypeError)
    expect(() => createPublication(schema)).toThrow(coordinate)
  })
})
