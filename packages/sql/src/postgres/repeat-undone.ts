import { pause } from '@latchkey/core/internal'
import { isUndoneForOthers } from './postgres-error.ts'
import type { StatementSignal } from './statement-signal.ts'

/**
 * Returns the result of a statement. If the server undid it for a deadlock or a conflict with others, it is sent again
 * until the deadline: no part of it was applied.
 */
export async function repeatUndone<T>(signal: StatementSignal, send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!isUndoneForOthers(error)) throw error
      // The deadline is a timer, and a database within the process refuses without a turn of the event loop.
      await pause(0)
      if (signal.aborted) throw error
    }
  }
}
