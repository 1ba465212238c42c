import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'

test('what has expired is removed while other ids are denied, by the clock of the stores', async () => {
  let time = 1_800_000_000_000
  const file = newDatabaseFile()
  const stores = createSqliteStores({ database: () => new DatabaseSync(file), now: () => time })
  onTestFinished(() => stores.close())
  await stores.migrate()
  const old = Array.from({ length: 60 }, (_none, index) => `jti:old-${index}`)
  for (const id of old) await stores.denials.deny(id, time + 1000)
  expect(await stores.denials.isAnyDenied(old.slice(0, 1))).toBe(true)
  time += 1000
  for (let count = 0; count < 50; count++) await stores.denials.deny(`jti:new-${count}`, time + 1000)
  expect(await stores.denials.isAnyDenied(old)).toBe(false)
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  expect(database.prepare('select count(*) as count from latchkey_denials').get()).toEqual({ count: 50 })
})

test('of no ids none is denied, and the database is not asked', async () => {
  const stores = createSqliteStores({ database: () => Promise.reject(new Error('opened')) as never })
  expect(await stores.denials.isAnyDenied([])).toBe(false)
})
