import { verifyAudit } from '@latchkey/audit'
import { type Database, facts, openLog, readDatabase, secrets, start, storeOf } from './open-log.ts'

/** A checkpoint, three rows of decisions, a checkpoint, and another chain with the same. */
export async function writeTwoChains() {
  const first = openLog()
  for (const accountId of ['acc_1', 'acc_2', 'acc_3']) await first.audit.record({ ...facts, accountId })
  await first.audit.close()
  const second = openLog({ store: first.store })
  second.time.now = start + 100
  for (const accountId of ['acc_4', 'acc_5', 'acc_6']) await second.audit.record({ ...facts, accountId })
  await second.audit.close()
  const database = await readDatabase(first.store)
  const [chain = '', other = ''] = new Set(database.rows.map((row) => row.chain))
  return { store: first.store, database, chain, other, checkpoints: [...first.checkpoints, ...second.checkpoints] }
}

export const verify = (database: Database, checkpoints?: readonly string[]) =>
  verifyAudit({ store: storeOf(database), secrets, ...(checkpoints && { checkpoints }) })

export const remove = (database: Database, chain: string, isRemoved: (sequence: number) => boolean): void => {
  database.rows = database.rows.filter((row) => row.chain !== chain || !isRemoved(row.sequence))
}
