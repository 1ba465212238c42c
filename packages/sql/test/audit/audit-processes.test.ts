import { DatabaseSync } from 'node:sqlite'
import { verifyAudit } from '@latchkey/audit'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'
import { auditSecrets as secrets } from '../fixtures/audit-secrets.ts'
import { expectChainsOfThree, expectUnknownAfterKill } from './audit-writers.ts'

async function openFile() {
  const file = newDatabaseFile()
  const stores = createSqliteStores({ database: () => new DatabaseSync(file), deadlineMs: 15_000 })
  const database = new DatabaseSync(file)
  onTestFinished(async () => {
    database.close()
    await stores.close()
  })
  await stores.migrate()
  return { file, audit: stores.audit, database }
}

test('fifty writers in each of three processes on one SQLite file leave chains without a gap', async () => {
  const { file, audit } = await openFile()
  await expectChainsOfThree(file, audit)
}, 60_000)

test('a process that is killed between an intention and its outcome leaves what is shown as unknown', async () => {
  const { file, audit } = await openFile()
  await expectUnknownAfterKill(file, audit)
}, 60_000)

test('changes to the tables of a killed process are reported', async () => {
  const { file, audit, database } = await openFile()
  await expectUnknownAfterKill(file, audit)
  const chains = await audit.listChains({ after: null, limit: 10 })
  // The other one has three rows.
  const { chain = '' } = chains.find(({ last }) => last !== null && last > 100) ?? {}
  const codes = async () => (await verifyAudit({ store: audit, secrets })).findings.map(({ code }) => code)
  database.exec(`delete from latchkey_audit where chain = '${chain}' and sequence > 120`)
  expect(await codes()).toEqual(['chain.cut'])
  database.exec(`delete from latchkey_audit where chain = '${chain}' and sequence = 60`)
  expect(await codes()).toEqual(['row.removed', 'chain.cut'])
  database.exec(`update latchkey_audit set kind = 'session.created' where chain = '${chain}' and sequence = 30`)
  expect(await codes()).toEqual(['row.changed', 'row.removed', 'chain.cut'])
  database.exec('delete from latchkey_audit')
  expect(await codes()).toEqual(['chain.emptied', 'chain.emptied'])
}, 60_000)
