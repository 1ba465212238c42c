import { createServer } from '@latchkey/server'
import { createEnvSecrets } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { createMemoryBroadcast } from '@latchkey/store'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/data/open-database.ts'
import { createPublicationTables } from '../src/data/publication-tables.ts'
import { createSqliteArticles } from '../src/data/sqlite-articles.ts'
import { createSqliteComments } from '../src/data/sqlite-comments.ts'
import { createPolicy } from '../src/policy.ts'
import { createAnnouncements } from '../src/publication/announcements.ts'
import { createResolvers } from '../src/resolvers.ts'
import { typeDefs } from '../src/schema.ts'

type Calls = Record<string, number>

/** The same thing, which counts how often each of its methods is called. */
function counted<Thing extends object>(thing: Thing, calls: Calls): Thing {
  return new Proxy(thing, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...given: unknown[]) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1
        return Reflect.apply(method, target, given)
      }
    },
  })
}

/** Eight articles by two authors, each with three comments, and what is asked of the database from then on. */
async function openPublication() {
  const database = openDatabase(':memory:')
  const stores = createSqliteStores({ database: () => database })
  await stores.migrate()
  createPublicationTables(database)
  const calls = { articles: {} as Calls, comments: {} as Calls, accounts: {} as Calls }
  const [articles, comments] = [createSqliteArticles(() => database), createSqliteComments(() => database)]
  for (const id of ['acc_one', 'acc_two', 'acc_three']) {
    const account = { id, email: `${id}@example.com`, name: id, roles: ['AUTHOR'], status: 'active' } as const
    await stores.accounts.insert({ ...account, passwordHash: null, epoch: 0 })
  }
  for (let number = 0; number < 8; number++) {
    const authorId = number % 2 === 0 ? 'acc_one' : 'acc_two'
    const status = number === 7 ? 'DRAFT' : 'PUBLISHED'
    const { id } = await articles.create({ title: `No. ${number}`, body: 'Words.', status, rating: null, authorId })
    for (const text of ['first', 'second', 'third']) {
      await comments.create({ text: `${text} on ${number}`, authorId: 'acc_three', articleId: id })
    }
  }
  const seen = [counted(articles, calls.articles), counted(comments, calls.comments)] as const
  const server = createServer({
    baseUrl: 'http://127.0.0.1:4000',
    mails: { mailer: { send: async () => undefined } },
    secrets: createEnvSecrets({ environment: { LATCHKEY_SECRET: 'x'.repeat(32) } }),
    stores: { ...stores, accounts: counted(stores.accounts, calls.accounts) },
    signUp: { role: 'READER' },
    policy: createPolicy(...seen),
    typeDefs,
    resolvers: createResolvers(...seen, createAnnouncements(createMemoryBroadcast())),
  })
  const ask = async (query: string) => {
    const url = `http://127.0.0.1:4000/graphql?query=${encodeURIComponent(query)}`
    return (await server.fetch(new Request(url))).json()
  }
  return { ask, calls }
}

test('a list loads the related data of all entries in one query, at any depth', async () => {
  const { ask, calls } = await openPublication()
  const { data } = await ask(`{
    articles(first: 8) {
      author { name articles(first: 2) { title author { name } } }
      comments(first: 2) { text author { name } article { title } }
      one: comments(first: 1) { text }
    }
  }`)
  expect(data.articles).toHaveLength(7)
  const [latest, before] = data.articles
  expect(latest).toEqual({
    author: {
      name: 'acc_one',
      articles: [
        { title: 'No. 6', author: { name: 'acc_one' } },
        { title: 'No. 4', author: { name: 'acc_one' } },
      ],
    },
    comments: [
      { text: 'first on 6', author: { name: 'acc_three' }, article: { title: 'No. 6' } },
      { text: 'second on 6', author: { name: 'acc_three' }, article: { title: 'No. 6' } },
    ],
    one: [{ text: 'first on 6' }],
  })
  // The draft of the second author is in no list.
  expect(before.author.articles.map(({ title }: { title: string }) => title)).toEqual(['No. 5', 'No. 3'])
  expect(calls.articles).toEqual({ list: 1, listByAuthors: 1, getMany: 1 })
  expect(calls.comments).toEqual({ listByArticles: 2 })
  // For the authors of the articles, those of the comments, and those of the authors' articles.
  expect(calls.accounts).toEqual({ getMany: 3 })
})
