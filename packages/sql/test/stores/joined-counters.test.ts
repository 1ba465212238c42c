import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { expect, test } from 'vitest'

const minute = 60_000

async function openCounters() {
  const statements: string[] = []
  const { counters, migrate } = createSqliteStores({
    database() {
      const database = new DatabaseSync(':memory:')
      const prepare = (sql: string) => {
        const statement = database.prepare(sql)
        const all = (...values: (string | number | null)[]) => {
          statements.push(sql)
          return statement.all(...values)
        }
        return { all }
      }
      return { exec: (sql) => database.exec(sql), close: () => database.close(), prepare }
    },
  })
  await migrate()
  statements.length = 0
  const countsOf = async (hits: readonly Promise<{ readonly count: number }>[]) =>
    (await Promise.all(hits)).map(({ count }) => count)
  return { counters, statements, countsOf }
}

test('counters of several keys in one turn are one statement, and each has its own count', async () => {
  const { counters, statements, countsOf } = await openCounters()
  await counters.hit('b', minute, 6)
  statements.length = 0
  expect(await countsOf(['c', 'a', 'b'].map((key, index) => counters.hit(key, minute, index + 1)))).toEqual([1, 2, 9])
  expect(statements).toHaveLength(1)
  expect(await countsOf(['b', 'd', 'c'].map((key) => counters.hit(key, minute, 0)))).toEqual([9, 0, 1])
  expect(statements).toHaveLength(2)
  expect(await countsOf(['c', 'd', 'b'].map((key) => counters.hit(key, minute, -1)))).toEqual([0, 0, 8])
  expect(statements).toHaveLength(3)
})

test('counters of one key in one turn each count', async () => {
  const { counters, countsOf } = await openCounters()
  const twenty = Array.from({ length: 20 }, () => counters.hit('a', minute))
  expect((await countsOf(twenty)).sort((one, other) => one - other)).toEqual(twenty.map((_hit, index) => index + 1))
  await Promise.all(Array.from({ length: 5 }, () => counters.hit('a', minute, -1)))
  expect((await counters.hit('a', minute, 0)).count).toBe(15)
})

test('a key that a database could refuse is sent alone', async () => {
  const { counters, statements, countsOf } = await openCounters()
  expect(await countsOf(['a', 'limit of ä', 'b'].map((key) => counters.hit(key, minute)))).toEqual([1, 1, 1])
  expect(statements).toHaveLength(2)
})
