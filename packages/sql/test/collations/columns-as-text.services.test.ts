import { createPostgresStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createPostgresDatabase } from '../postgres/postgres-database.ts'

const server = useService('postgres')

test('a denied token is denied by a driver that leaves every column as text, read alone and with others', async () => {
  const types = { getTypeParser: () => (text: string) => text } as never
  const pool = new pg.Pool({ connectionString: await createPostgresDatabase(server), max: 2, types })
  const stores = createPostgresStores({ pool, deadlineMs: 5000 })
  onTestFinished(() => stores.close())
  await stores.migrate()
  const account = { id: 'acc_1', email: 'a@example.com', name: 'A', roles: [], status: 'active', epoch: 0 } as const
  await stores.accounts.insert({ ...account, passwordHash: null })
  await stores.records.insert({ key: 'rf_1', owner: 'acc_1', expiresAt: stores.records.now() + 60_000, value: '{}' })
  await stores.documents.insert({ collection: 'denials', id: 'sid:x', owner: null, version: '1', value: '{}' })
  const read = () => stores.accounts.identities?.read('rf_1', ['sid:x'])
  const found = [await read(), ...(await Promise.all([read(), read(), read()]))]
  expect(found.map((identity) => identity?.isDenied)).toEqual([true, true, true, true])
})
