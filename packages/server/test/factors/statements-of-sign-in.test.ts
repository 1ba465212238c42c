import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { onTestFinished, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { challengeOf, createFactorBench, okData, operations, withTotp } from '../support/factor-bench.ts'

test('count', async () => {
  const run: string[] = []
  const clock = { time: 1_800_000_000_000 }
  const stores = createSqliteStores({
    now: () => clock.time,
    database: () => {
      const database = new DatabaseSync(':memory:')
      const prepare = database.prepare.bind(database)
      return {
        exec: (sql) => {
          run.push(sql)
          return database.exec(sql)
        },
        close: () => database.close(),
        prepare(sql) {
          const statement = prepare(sql)
          return {
            all: (...values) => {
              run.push(sql)
              return statement.all(...values) as unknown[]
            },
          }
        },
      }
    },
  })
  await stores.migrate()
  const { secrets } = createBench()
  const bench = createFactorBench({ beside: { stores, secrets, clock, outbox: [] } })
  const person = await withTotp(bench)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const known = process.env.KNOWN
  run.length = 0
  const challenge = await challengeOf(person)
  await new Promise((resolve) => setTimeout(resolve, 300))
  console.log('password', run.length, '\n' + run.map((one) => one.replaceAll('\n', ' ').slice(0, 110)).join('\n'))
  run.length = 0
  okData(await person.ask(operations.verify, { input: { challenge, code: person.code(), delivery: 'SESSION' } }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  console.log('code', run.length, '\n' + run.map((one) => one.replaceAll('\n', ' ').slice(0, 110)).join('\n'))
  onTestFinished(() => bench.server.close())
})
