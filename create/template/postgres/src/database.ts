import { createPostgresStores } from '@latchkey/sql'
import { Pool } from 'pg'
import type { Note, Notes } from './notes.ts'

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres:postgres@127.0.0.1:5432/postgres'

const connect = () => new Pool({ connectionString, connectionTimeoutMillis: 2000 })

const pool = connect() // of the notes: they cannot take a sign-in's connection
pool.on('error', () => {}) // an idle connection that broke: the next query opens another
const postgres = createPostgresStores({ pool: connect() })

/** Accounts, sessions, limits and the audit log. The service closes them when it stops, and the notes with them. */
export const stores = {
  ...postgres,
  async close() {
    await postgres.close()
    await pool.end()
  },
}

const createTable = `
  create table if not exists notes (
    id text primary key,
    owner_id text not null,
    text text not null,
    created_at timestamptz not null default now()
  )`

export function createNotes(): Notes {
  let opened: Promise<unknown> | null = null
  async function query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    opened ??= pool.query(createTable).catch((error) => {
      opened = null
      throw error
    })
    await opened
    return (await pool.query<Row>(text, [...values])).rows
  }
  return {
    listOf: (ownerId) =>
      query<Note>('select id, owner_id as "ownerId", text from notes where owner_id = $1 order by created_at', [
        ownerId,
      ]),
    async create({ id, ownerId, text }) {
      await query('insert into notes (id, owner_id, text) values ($1, $2, $3)', [id, ownerId, text])
    },
    async update(id, text) {
      const sql = 'update notes set text = $2 where id = $1 returning id, owner_id as "ownerId", text'
      return (await query<Note>(sql, [id, text]))[0] ?? null
    },
    async ownersOf(ids) {
      const found = await query<Note>('select id, owner_id as "ownerId" from notes where id = any($1)', [ids])
      return new Map(found.map(({ id, ownerId }) => [id, ownerId]))
    },
  }
}
