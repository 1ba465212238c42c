import { setTimeout } from 'node:timers/promises'
import { AccessError } from '@latchkey/graphql'

const deadlineMs = 250

/**
 * Gives what a statement gives, and tries again for a moment while another process writes to the database. The pauses
 * leave the event loop free, which SQLite's own waiting would not.
 *
 * @throws AccessError `SERVICE_UNAVAILABLE` when the database stayed locked.
 */
export async function whenFree<T>(statement: () => T): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    try {
      return statement()
    } catch (error) {
      if (!isLocked(error)) throw error
      if (performance.now() >= end) throw new AccessError('SERVICE_UNAVAILABLE', { cause: error })
      await setTimeout(1 + Math.random() * 4)
    }
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED (https://www.sqlite.org/rescode.html): nothing was applied. */
function isLocked(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === 'number' && [5, 6].includes(errcode & 0xff)
}
