import { DatabaseSync } from 'node:sqlite'
import { definePolicy, type Filter } from '@latchkey/rbac'
import { both, ownedByColumn, type SqlCondition, toCondition } from './sql-ownership.ts'

export interface Note {
  readonly id: number
  readonly text: string
  readonly authorId: string | null
}

export const policy = definePolicy({
  permissions: ['notes:read', 'notes:update', 'notes:review', 'ownership:bypass'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:update'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['notes:review'] },
    ADMIN: { inherits: ['AUTHOR'], permissions: ['ownership:bypass'] },
  },
  ownership: { notes: ownedByColumn('authorId', 'author_id') },
})

export const createTable = 'create table notes (id integer primary key, text text not null, author_id text)'

/** Creates the notes in a database, with lists that contain only the notes that an identity may see. */
export function createNotes(database: DatabaseSync = new DatabaseSync(':memory:')) {
  database.exec(createTable)
  const insert = database.prepare('insert into notes (id, text, author_id) values (?, ?, ?)')
  return {
    add: ({ id, text, authorId }: Note) => void insert.run(id, text, authorId),
    /** Returns the notes of a `policy.filter`, and of a search in them. */
    within(filter: Filter<SqlCondition>, search = ''): readonly Note[] {
      const found: SqlCondition = { sql: 'instr(text, ?) > 0 or ? = text', values: [search, search] }
      const { sql, values } = search === '' ? toCondition(filter) : both(toCondition(filter), found)
      const rows = database.prepare(`select id, text, author_id from notes where ${sql} order by id`).all(...values)
      return rows.map(({ id, text, author_id }) => ({
        id: Number(id),
        text: String(text),
        authorId: author_id === null ? null : String(author_id),
      }))
    },
  }
}
