import { isStoreError, StoreError } from '@latchkey/store'
import { explainPostgres } from './postgres-reasons.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const uniqueViolation = '23505'
const invalidText = '22P02'
const missing = ['42P01', '42703']
/** A serialization failure and a deadlock. */
const serializationFailure = '40001'
const undoneStates = [serializationFailure, '40P01']
const cancelled = '57014'

/** Raised by a script that finds another version than expected. */
export const migratedMeanwhile = 'LK001'

/** Every driver has the SQLSTATE of a server error in `code`. */
export function sqlStateOf(error: unknown): string {
  const { code } = error instanceof Error ? (error as { readonly code?: unknown }) : {}
  return typeof code === 'string' ? code : ''
}

/** Returns whether a unique constraint or a primary key refused the statement, which then changed no row. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === uniqueViolation
}

/** Whether the server executed the statement too late by its own clock, and undid it. */
export function isLate(error: unknown): boolean {
  return sqlStateOf(error) === invalidText && error instanceof Error && error.message.includes('"late"')
}

/**
 * Returns whether the server undid the statement because of a concurrent statement: it may succeed when it is sent
 * again.
 */
export function isUndoneForOthers(error: unknown): boolean {
  return undoneStates.includes(sqlStateOf(error))
}

/** Returns the error of a statement that the server undid because of another statement. */
export function undoneForOthers(cause: unknown): Error {
  return Object.assign(new Error('the cancel request of another statement came late', { cause }), {
    code: serializationFailure,
  })
}

/** Returns whether the server cancelled the statement, on request or at its own time limit. */
export function isCancelled(error: unknown): boolean {
  return sqlStateOf(error) === cancelled
}

/** Returns whether the server refused this statement and accepts further statements on the same connection. */
export function isRefusal(error: unknown): boolean {
  return /^(?:22|23|40|26000|42P05)/.test(sqlStateOf(error))
}

/**
 * Whether a connection that others use too has lost a prepared statement, or has one of theirs. The server finds out before
 * it executes anything. Poolers have the state of the last case for all of their own errors.
 */
export function isPreparedElsewhere(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === '26000' || state === '42P05') return true
  const { routine, message } = error as { readonly routine?: unknown; readonly message?: unknown }
  return state === '08P01' && (routine === 'exec_bind_message' || /prepared statement/i.test(String(message)))
}

/** Whether the tables are missing or older than the code. */
export function isMissing(error: unknown): boolean {
  return missing.includes(sqlStateOf(error))
}

/** Returns the error that a store throws for an error of the driver. */
export function toStoreError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  return isMissing(error)
    ? new StoreError('STORE_NOT_MIGRATED', 'the tables of Latchkey are missing or too old: call migrate()', {
        cause: error,
      })
    : new StoreError('STORE_UNAVAILABLE', explainPostgres(sqlStateOf(error)), { cause: error })
}

/** Classes of states that do not depend on the statement: it may succeed when it is sent again later. */
const outageStates = /^(?:08|25006|28|3D000|40|53|55P03|57|58|XX)/

/** Returns a `StoreError` for a failure of the database, and the error itself for a refused statement. */
export function toOutage(error: unknown): unknown {
  if (isStoreError(error) || error instanceof TypeError) return error
  const state = sqlStateOf(error)
  // Codes of the operating system have letters only.
  const isRefused = /^(?=.*\d)[0-9A-Z]{5}$/.test(state) && !outageStates.test(state) && !isLate(error)
  return isRefused ? error : new StoreError('STORE_UNAVAILABLE', explainPostgres(state), { cause: error })
}
