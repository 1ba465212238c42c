import { after } from '@latchkey/core/internal'
import type { PostgresJsQuery } from './postgres-pool.ts'

/**
 * Cancel requests of postgres.js. A request names a connection and no statement: one that comes late hits the statement that
 * is then under way there, and postgres.js has no way to leave a connection unused.
 */
export interface Cancels {
  send(query: PostgresJsQuery): void
  /** Resolves when the server has acknowledged those under way, or soon. Over TLS postgres.js does not say it. */
  acknowledged(): Promise<unknown>
  /** Whether one of them may have cancelled another statement by now. */
  mayHaveHit(): boolean
}

/** How long the server may take to acknowledge a request. Statements wait that long over TLS, where it is not said. */
const acknowledgedMs = 100
/** How late a request may come. */
const lateMs = 1000

export function createCancels(): Cancels {
  const pending = new Set<Promise<void>>()
  let sentAt = Number.NEGATIVE_INFINITY
  return {
    send(query) {
      sentAt = performance.now()
      const acknowledged = new Promise<void>((resolve) => {
        const patience = after(acknowledgedMs, resolve)
        const end = (): void => {
          patience.stop()
          resolve()
        }
        Promise.resolve(query.cancel()).then(end, end)
      })
      pending.add(acknowledged)
      void acknowledged.then(() => pending.delete(acknowledged))
    },
    acknowledged: () => Promise.all(pending),
    mayHaveHit: () => performance.now() - sentAt < lateMs,
  }
}
