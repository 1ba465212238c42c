import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNotes, createTable, policy } from '../src/notes.ts'
import { both, numbered, ownedByColumn, toCondition } from '../src/sql-ownership.ts'
import { asked, decide, hostile } from './publication.ts'

test('the list has exactly the rows that the check lets through, for every identity and permission', () => {
  const database = new DatabaseSync(':memory:')
  const notes = createNotes(database)
  fc.assert(
    fc.property(asked, (given) => {
      const { rows, filter, allowed } = decide(given)
      database.exec('delete from notes')
      for (const row of rows) notes.add(row)
      expect(notes.within(filter)).toEqual(allowed)
    }),
    { numRuns: process.env.TEST_TIER === '3' ? 20_000 : 500 },
  )
})

describe.each(hostile)('the subject %j', (subject) => {
  const database = new DatabaseSync(':memory:')
  const notes = createNotes(database)
  for (const [id, authorId] of [...hostile, null].entries()) notes.add({ id, text: `note ${id}`, authorId })
  const identity = policy.identify({ subject, roles: ['AUTHOR'] })

  test('gets its own row and no other, and the table stays', () => {
    const found = notes.within(policy.filter(identity, 'notes:update'))
    expect(found.map(({ authorId }) => authorId)).toEqual([subject])
    expect(database.prepare('select count(*) as rows from notes').get()).toEqual({ rows: hostile.length + 1 })
  })

  test('searches only in its own rows, also for texts that look like SQL', () => {
    const filter = policy.filter(identity, 'notes:update')
    for (const search of hostile) {
      expect(notes.within(filter, search).every(({ authorId }) => authorId === subject)).toBe(true)
    }
    expect(notes.within(filter, 'note')).toHaveLength(1)
  })

  test('is never part of the SQL', () => {
    const { sql, values } = both(toCondition(policy.filter(identity, 'notes:update')), {
      sql: 'text = ?',
      values: ['x'],
    })
    expect([sql, values]).toEqual(['(author_id = ?) and (text = ?)', [subject, 'x']])
    expect(numbered({ sql, values }, 3)).toEqual({ text: '(author_id = $3) and (text = $4)', values: [subject, 'x'] })
  })
})

test.each(['', 'author id', "author_id'; drop table notes", 'a = a or author_id', 'a.b.c', '1'])(
  'a column %j is refused',
  (column) => {
    expect(() => ownedByColumn('authorId', column)).toThrow(TypeError)
  },
)

test('an identity without the permission gets no row', () => {
  const notes = createNotes()
  notes.add({ id: 1, text: 'a', authorId: 'acc_1' })
  expect(notes.within(policy.filter(null, 'notes:update'))).toEqual([])
  expect(notes.within(policy.filter(policy.identify({ subject: 'acc_1', roles: ['READER'] }), 'notes:update'))).toEqual(
    [],
  )
})

test('a column that ignores case lists a row of another owner, which the check would refuse', () => {
  const database = new DatabaseSync(':memory:')
  database.exec(createTable.replace('author_id text', 'author_id text collate nocase'))
  database.exec("insert into notes values (1, 'a', 'ACC_1')")
  const { sql, values } = toCondition(
    policy.filter(policy.identify({ subject: 'acc_1', roles: ['AUTHOR'] }), 'notes:update'),
  )
  expect(database.prepare(`select id from notes where ${sql}`).all(...values)).toHaveLength(1)
})
