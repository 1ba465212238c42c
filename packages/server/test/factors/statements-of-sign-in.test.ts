import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqliteDatabase } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { challengeOf, createFactorBench, okData, operations, type Person, withTotp } from '../support/factor-bench.ts'

/** A database that keeps the statements that it has run. */
function openCounting(statements: string[]): SqliteDatabase {
  const database = new DatabaseSync(':memory:')
  return {
    exec(sql) {
      statements.push(sql)
      database.exec(sql)
    },
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        all(...parameters) {
          statements.push(sql)
          return statement.all(...parameters)
        },
      }
    },
  }
}

async function openService() {
  const statements: string[] = []
  const clock = { time: 1_800_000_000_000 }
  const stores = createSqliteStores({ database: () => openCounting(statements), now: () => clock.time })
  await stores.migrate()
  const { secrets } = createBench()
  const bench = createFactorBench({ beside: { stores, secrets, clock, outbox: [] } })
  onTestFinished(() => bench.server.close())
  return { bench, statements }
}

async function signIn(person: Person): Promise<void> {
  const challenge = await challengeOf(person)
  const input = { challenge, code: person.code(), delivery: 'SESSION' }
  expect(okData(await person.ask(operations.verify, { input })).verifySecondFactor.status).toBe('SIGNED_IN')
}

test('a sign-in with password and code takes at most 20 statements of SQL, audit and limits included', async () => {
  const { bench, statements } = await openService()
  const person = await withTotp(bench)
  statements.length = 0
  await signIn(person)
  expect(statements.length, statements.join('\n\n')).toBeLessThanOrEqual(20)
  expect(statements.some((sql) => sql.startsWith('insert into latchkey_audit'))).toBe(true)
  expect(statements.some((sql) => sql.startsWith('insert into latchkey_counters'))).toBe(true)
})

test('a sign-in with password and code on a device that is known takes at most 19 statements of SQL', async () => {
  const { bench, statements } = await openService()
  const person = await withTotp(bench)
  await signIn(person)
  person.jar.delete('__Host-session')
  person.csrfToken = null
  statements.length = 0
  await signIn(person)
  expect(statements.length, statements.join('\n\n')).toBeLessThanOrEqual(19)
})
