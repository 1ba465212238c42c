import { createPostgresBroadcast, createPostgresStores } from '@latchkey/sql'
import pg from 'pg'
import type { PublicationData } from '../publication/publication-data.ts'
import { createPostgresArticles } from './postgres-articles.ts'
import { createPostgresComments } from './postgres-comments.ts'
import { createQuery } from './postgres-query.ts'

const tables = `
  select pg_advisory_xact_lock(4000);
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

/** Creates the data in the database of `DATABASE_URL`, which any number of processes share; it connects on first use. */
export function createPostgresData(connectionString: string): PublicationData {
  const limits = { connectionString, connectionTimeoutMillis: 3000 }
  // The stores of Latchkey take a pool of their own: its statements get their deadline.
  const stores = createPostgresStores({ pool: new pg.Pool(limits) })
  const pool = new pg.Pool({ ...limits, statement_timeout: 5000 })
  // The next statement finds out; unheard, the event would end the process.
  pool.on('error', () => {})
  const query = createQuery(pool)
  const broadcast = createPostgresBroadcast({
    async connect() {
      const client = new pg.Client({ ...limits, keepAlive: true })
      await client.connect()
      return client
    },
  })
  return {
    stores: {
      ...stores,
      async migrate() {
        const report = await stores.migrate()
        await pool.query(tables)
        return report
      },
      close: async () => void (await Promise.all([stores.close(), broadcast.close(), pool.end()])),
    },
    articles: createPostgresArticles(query),
    comments: createPostgresComments(query),
    broadcast,
    async fillOnce(fill) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query('select pg_advisory_xact_lock(4000)')
        const { rowCount } = await client.query(`insert into milestones values ('seeded') on conflict do nothing`)
        const within = createQuery(client)
        if (rowCount === 1) await fill(createPostgresArticles(within), createPostgresComments(within))
        await client.query('commit')
        client.release()
      } catch (error) {
        client.release(true)
        throw error
      }
    },
  }
}
