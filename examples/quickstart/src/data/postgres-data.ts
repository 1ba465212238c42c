import { createPostgresBroadcast, createPostgresExecutor, createPostgresStores } from '@latchkey/sql'
import pg from 'pg'
import type { PublicationData } from '../publication/publication-data.ts'
import { createPostgresArticles } from './postgres-articles.ts'
import { createPostgresComments } from './postgres-comments.ts'
import { createQuery } from './postgres-query.ts'

/** Serializes processes that start at the same time. */
const lock = 'select pg_advisory_xact_lock(4000)'

/** How long a start waits for the lock. */
const start = { deadlineMs: 10_000 }

const tables = `
  ${lock};
  create table if not exists articles (
    position bigint generated always as identity primary key,
    id text not null unique,
    title text not null,
    body text not null,
    status text not null check (status in ('DRAFT', 'PUBLISHED')),
    rating double precision,
    author_id text not null
  );
  create index if not exists articles_author on articles (author_id);
  create table if not exists comments (
    position bigint generated always as identity primary key,
    id text not null unique,
    text text not null,
    author_id text not null,
    article_id text not null references articles (id) on delete cascade
  );
  create index if not exists comments_article on comments (article_id);
  create table if not exists milestones (name text primary key);
`

/**
 * Creates the data in the database of `DATABASE_URL`, which any number of processes share; it connects on first use.
 *
 * @param directUrl the same database without the pooler, because a pooler loses listeners and prepared statements.
 */
export function createPostgresData(connectionString: string, directUrl: string | null): PublicationData {
  const limits = { connectionString, connectionTimeoutMillis: 3000 }
  // Two pools, so that statements of the publication cannot take the connections that a sign-in needs. Both have the same
  // deadline, and a connection that does not answer is never used again.
  const stores = createPostgresStores({ pool: new pg.Pool(limits), preparedStatements: directUrl === null })
  const database = createPostgresExecutor({ pool: new pg.Pool(limits) })
  const query = createQuery(database.query)
  const broadcast = createPostgresBroadcast({
    async connect() {
      const client = new pg.Client({ ...limits, connectionString: directUrl ?? connectionString, keepAlive: true })
      await client.connect()
      return client
    },
  })
  return {
    stores: {
      ...stores,
      async migrate() {
        const report = await stores.migrate()
        await database.script(tables, start)
        return report
      },
      close: async () => void (await Promise.all([stores.close(), broadcast.close(), database.close()])),
    },
    check: database.check,
    articles: createPostgresArticles(query),
    comments: createPostgresComments(query),
    broadcast,
    fillOnce: (fill) =>
      database.transaction(async (statement) => {
        await statement(lock)
        const marked = await statement(`insert into milestones values ('seeded') on conflict do nothing returning name`)
        const within = createQuery(statement)
        if (marked.length === 1) await fill(createPostgresArticles(within), createPostgresComments(within))
      }, start),
  }
}
