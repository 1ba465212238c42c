import { setTimeout } from 'node:timers/promises'
import { AccessError } from '@latchkey/graphql'

/** How long a request waits. A start may wait longer, because processes that start together write the tables one after another. */
const requestMs = 250
export const startMs = 10_000

/**
 * Returns the result of a statement, and retries for a moment while another process writes to the database. The pauses
 * leave the event loop free, which SQLite's own waiting would not.
 *
 * @param deadlineMs how long it retries, in milliseconds.
 * @throws AccessError `SERVICE_UNAVAILABLE` when the database stayed locked, its disk is full, or the disk failed.
 */
export async function whenFree<T>(statement: () => T, deadlineMs: number = requestMs): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    try {
      return statement()
    } catch (error) {
      const code = primaryCodeOf(error)
      if (!locked.includes(code) && !failed.includes(code)) throw error
      if (failed.includes(code) || performance.now() >= end) throw unavailable(error)
      await setTimeout(1 + Math.random() * 4)
    }
  }
}

// https://www.sqlite.org/rescode.html: in every one of these cases nothing was applied.
const locked = [5, 6] // SQLITE_BUSY, SQLITE_LOCKED
const failed = [10, 13] // SQLITE_IOERR, SQLITE_FULL

/** An extended code holds its primary one in the low byte. */
function primaryCodeOf(error: unknown): number {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : 0
}

function unavailable(cause: unknown): AccessError {
  return new AccessError('SERVICE_UNAVAILABLE', { cause })
}
