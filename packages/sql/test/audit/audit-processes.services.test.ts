import { createPostgresStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { onTestFinished, test } from 'vitest'
import { createPostgresDatabase } from '../postgres/postgres-database.ts'
import { expectChainsOfThree, expectUnknownAfterKill } from './audit-writers.ts'

const postgres = useService('postgres')

async function openDatabase() {
  const url = await createPostgresDatabase(postgres)
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString: url }), deadlineMs: 15_000 })
  onTestFinished(() => stores.close())
  await stores.migrate()
  return { url, audit: stores.audit }
}

test('fifty writers in each of three processes on one PostgreSQL leave chains without a gap', async () => {
  const { url, audit } = await openDatabase()
  await expectChainsOfThree(url, audit)
}, 120_000)

test('a process that is killed between an intention and its outcome leaves what is shown as unknown', async () => {
  const { url, audit } = await openDatabase()
  await expectUnknownAfterKill(url, audit)
}, 120_000)
