import { StoreError } from '@latchkey/store'

// https://www.sqlite.org/rescode.html: an extended code holds its primary one in the low byte.
const busy = 5
const locked = 6
const uniqueViolations = [1555, 2067]

/** Somebody else holds the lock: nothing was applied, and it is safe to ask again. */
export function isBusy(error: unknown): boolean {
  const { number, name } = codesOf(error)
  return (number & 0xff) === busy || (number & 0xff) === locked || /^SQLITE_(BUSY|LOCKED)/.test(name)
}

/** A unique constraint or a primary key refused the statement: nothing was applied. */
export function isUniqueViolation(error: unknown): boolean {
  const { number, name } = codesOf(error)
  return uniqueViolations.includes(number) || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(name)
}

/** Gives what a store throws for an error of the driver. Messages of SQLite name tables and columns, never values. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const isMissing = error instanceof Error && /no such (table|column): /.test(error.message)
  return isMissing
    ? new StoreError('STORE_NOT_MIGRATED', 'the tables of Latchkey are missing or too old: call migrate()', {
        cause: error,
      })
    : new StoreError('STORE_UNAVAILABLE', 'the database failed', { cause: error })
}

/** `node:sqlite` gives the number in `errcode`, other drivers a name in `code`. */
function codesOf(error: unknown): { readonly number: number; readonly name: string } {
  const { errcode, code } = error instanceof Error ? (error as { errcode?: unknown; code?: unknown }) : {}
  return { number: typeof errcode === 'number' ? errcode : 0, name: typeof code === 'string' ? code : '' }
}
