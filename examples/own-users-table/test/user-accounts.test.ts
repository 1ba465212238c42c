import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeAccountStore } from '@latchkey/accounts/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { moveUsers } from '../src/move-users.ts'
import { createUserAccounts } from '../src/user-accounts.ts'
import { openDatabase, usersTable } from '../src/users-table.ts'

const folder = await mkdtemp(join(tmpdir(), 'latchkey-users-'))
const path = join(folder, 'app.db')
const opened = [0, 1].map(() => openDatabase(path))
afterAll(() => {
  for (const database of opened) database.close()
  rmSync(folder, { recursive: true })
})
opened[0]?.exec(usersTable)
for (const database of opened) moveUsers(database)

let next = 0
const createStore = () => createUserAccounts(opened[next++ % 2]!)
describeAccountStore({ describe, test, createStore, optional: ['getMany'] })

test('a failing database rejects with a StoreError instead of an account or null', async () => {
  const database = openDatabase(':memory:')
  const accounts = createUserAccounts(database)
  expect(accounts.isInMemory?.()).toBe(true)
  for (const call of [
    () => accounts.get('user_1'),
    () => accounts.replace('user_1', {}, { epoch: 1 }),
    () => accounts.list(),
  ])
    await expect(call()).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  database.close()
})
