import { verifyAudit } from '@latchkey/audit'
import type { StoredAuditRow } from '@latchkey/store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Database, facts, openLog, readDatabase, secrets, storeOf } from './open-log.ts'

/** What is done in a log: by which of three processes, and whether that ends afterwards. */
const step = fc.record({ process: fc.nat(2), how: fc.constantFrom('record', 'done', 'failed', 'unknown', 'restart') })

async function writeLog(steps: readonly { readonly process: number; readonly how: string }[]): Promise<Database> {
  const { store, audit } = openLog()
  await audit.record(facts)
  const processes = [audit, openLog({ store }).audit, openLog({ store }).audit]
  for (const { process, how } of steps) {
    const log = processes[process] ?? audit
    if (how === 'record') await log.record({ ...facts, accountId: null })
    else if (how === 'restart') {
      await log.close()
      processes[process] = openLog({ store }).audit
    } else {
      const intent = await log.intend(facts)
      if (how === 'done') await intent.done()
      if (how === 'failed') await intent.failed()
    }
  }
  return readDatabase(store)
}

type Tamper = (row: StoredAuditRow, database: Database, other: StoredAuditRow) => StoredAuditRow | null

/** Returns another text, with one character changed, at the place that a number names. */
function bend(text: string, place: number): string {
  const index = place % Math.max(text.length, 1)
  return `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`
}

const tampering = fc.nat().chain((place) =>
  fc.constantFrom<Tamper>(
    () => null,
    (row) => ({ ...row, value: bend(row.value, place) }),
    (row) => ({ ...row, at: row.at + 1 }),
    (row) => ({ ...row, entry: bend(row.entry, place) }),
    (row) => ({ ...row, kind: bend(row.kind, place) }),
    (row) => ({ ...row, state: row.state === 'done' ? 'failed' : 'done' }),
    (row) => ({ ...row, accountId: row.accountId === null ? 'acc_1' : null }),
    (row) => ({ ...row, personal: bend(row.personal ?? '', place) }),
    (row, _database, other) => ({ ...row, value: other.value === row.value ? '' : other.value }),
    (row, { rows }) => ({ ...row, sequence: Math.max(...rows.map(({ sequence }) => sequence)) + 1 }),
    (row) => ({ ...row, chain: bend(row.chain, place) }),
  ),
)

test('any single tampering with any row of any log is named', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 12 }),
    tampering,
    fc.nat(),
    fc.nat(),
    async (steps, tamper, which, another) => {
      const database = await writeLog(steps)
      expect(await verifyAudit({ store: storeOf(database), secrets })).toMatchObject({ ok: true })
      const { rows } = database
      const [row, other] = [rows[which % rows.length], rows[another % rows.length]]
      if (!row || !other) throw new Error('there are rows')
      const changed = tamper(row, database, other)
      const rest = rows.filter((each) => each !== row)
      const { ok } = await verifyAudit({
        store: storeOf({ ...database, rows: changed ? [...rest, changed] : rest }),
        secrets,
      })
      expect(ok).toBe(false)
    },
  )
  await fc.assert(property, { numRuns: process.env.TEST_TIER === '3' ? 5000 : 300 })
})
