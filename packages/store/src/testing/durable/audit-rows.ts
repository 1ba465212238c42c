import type { StoredAuditRow } from '../../audit-store.ts'
import { fresh } from './kit-bench.ts'

/** When the rows were written. */
export const at = 1_790_000_000_000

/** Returns a row with a new chain, decision and account. */
export function newRow(fields: Partial<StoredAuditRow> = {}): StoredAuditRow {
  return {
    chain: fresh('chain'),
    sequence: 1,
    at,
    entry: fresh('entry'),
    state: 'done',
    kind: 'password.changed',
    accountId: fresh('acc'),
    value: 'value',
    personal: 'personal',
    ...fields,
  }
}

/** Returns the rows of a chain and an account of their own, a millisecond apart. */
export function newChain(length: number, fields: Partial<StoredAuditRow> = {}): readonly StoredAuditRow[] {
  const chain = fresh('chain')
  const accountId = fresh('acc')
  return Array.from({ length }, (_none, index) =>
    newRow({ chain, accountId, sequence: index + 1, at: at + index, ...fields }),
  )
}

/** All rows of a chain. */
export const whole = { after: 0, limit: 1000 }
