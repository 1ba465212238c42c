import { useService } from '@latchkey/test-services'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Note } from '../src/notes.ts'
import { numbered, toCondition } from '../src/sql-ownership.ts'
import { asked, decide } from './publication.ts'

describe('on PostgreSQL', () => {
  const url = useService('postgres')
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create temporary table notes (id integer primary key, text text not null, author_id text)')
  })
  afterAll(() => client.end())

  async function within(rows: readonly Note[], condition: ReturnType<typeof numbered>): Promise<unknown[]> {
    await client.query('delete from notes')
    for (const { id, text, authorId } of rows) {
      await client.query('insert into notes values ($1, $2, $3)', [id, text, authorId])
    }
    const columns = 'id, text, author_id as "authorId"'
    const { text, values } = condition
    return (await client.query(`select ${columns} from notes where ${text} order by id`, values)).rows
  }

  test('the list has exactly the rows that the check lets through, for every identity and permission', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (given) => {
        const { rows, filter, allowed } = decide(given)
        expect(await within(rows, numbered(toCondition(filter)))).toEqual(allowed)
      }),
      { numRuns: process.env.TEST_TIER === '3' ? 2_000 : 200 },
    )
  })
})
