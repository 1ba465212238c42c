import { createPostgresStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { describe } from 'vitest'
import { describeUpgrade } from '../support/describe-upgrade.ts'
import { firstDatabase } from '../support/first-database.ts'
import { createServerEnvironment } from '../support/server-environment.ts'

describe('on PostgreSQL', () => {
  const postgres = useService('postgres')

  describeUpgrade(async (now) => {
    const { DATABASE_URL: connectionString } = await createServerEnvironment(postgres)
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query(firstDatabase)
    await client.end()
    return () => createPostgresStores({ pool: new pg.Pool({ connectionString }), now, deadlineMs: 2000 })
  })
})
