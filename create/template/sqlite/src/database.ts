import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import type { Note, Notes } from './notes.ts'

const path = process.env.DATABASE ?? 'app.db'

const database = new DatabaseSync(path, { open: false }) // of the notes
const sqlite = createSqliteStores({ database: () => new DatabaseSync(path) })

/** Accounts, sessions, limits and the audit log. The service closes them when it stops, and the notes with them. */
export const stores = {
  ...sqlite,
  async close() {
    await sqlite.close()
    if (database.isOpen) database.close()
  },
}

export function createNotes(): Notes {
  database.open()
  database.exec('pragma busy_timeout = 2000')
  database.exec(
    'create table if not exists notes (id text primary key, owner_id text not null, text text not null) strict',
  )
  const select = 'select id, owner_id as ownerId, text from notes'
  const list = database.prepare(`${select} where owner_id = ? order by rowid`)
  const insert = database.prepare('insert into notes (id, owner_id, text) values (?, ?, ?)')
  const update = database.prepare('update notes set text = ? where id = ? returning id, owner_id as ownerId, text')
  const owners = database.prepare(`${select} where id in (select value from json_each(?))`)
  return {
    listOf: async (ownerId) => list.all(ownerId) as unknown as Note[],
    create: async ({ id, ownerId, text }) => void insert.run(id, ownerId, text),
    update: async (id, text) => (update.get(text, id) as unknown as Note | undefined) ?? null,
    async ownersOf(ids) {
      const found = owners.all(JSON.stringify(ids)) as unknown as Note[]
      return new Map(found.map(({ id, ownerId }) => [id, ownerId]))
    },
  }
}
