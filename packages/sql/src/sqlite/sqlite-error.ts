import { isStoreError, StoreError } from '@latchkey/store'
import { explainSqlite } from './sqlite-reasons.ts'

// https://www.sqlite.org/rescode.html: the low byte of an extended code is its primary code.
const busy = 5
const locked = 6
const uniqueViolations = [1555, 2067]

/** Returns whether another connection holds the lock: the statement changed no row, and may be repeated. */
export function isBusy(error: unknown): boolean {
  const { number, name } = codesOf(error)
  return (number & 0xff) === busy || (number & 0xff) === locked || /^SQLITE_(BUSY|LOCKED)/.test(name)
}

/** Returns whether a unique constraint or a primary key refused the statement, which then changed no row. */
export function isUniqueViolation(error: unknown): boolean {
  const { number, name } = codesOf(error)
  return uniqueViolations.includes(number) || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(name)
}

/**
 * Returns the error that a store throws for an error of the driver. Messages of SQLite hold names of tables and
 * columns, never values.
 */
export function toStoreError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const isMissing = error instanceof Error && /no such (table|column): /.test(error.message)
  return isMissing
    ? new StoreError('STORE_NOT_MIGRATED', 'the tables of Latchkey are missing or too old: call migrate()', {
        cause: error,
      })
    : new StoreError('STORE_UNAVAILABLE', explainSqlite(codesOf(error)), { cause: error })
}

/** `node:sqlite` has the number in `errcode`, other drivers have a name in `code`. */
function codesOf(error: unknown): { readonly number: number; readonly name: string } {
  const { errcode, code } = error instanceof Error ? (error as { errcode?: unknown; code?: unknown }) : {}
  return { number: typeof errcode === 'number' ? errcode : 0, name: typeof code === 'string' ? code : '' }
}
