import { createSemaphore } from '@latchkey/core/internal'
import type { SqlRow } from '../statements/sql-executor.ts'
import { createCancels } from './pools/postgres-js-cancels.ts'
import type { PostgresJsQuery, PostgresJsSql } from './pools/postgres-pool.ts'
import type { PostgresDriver } from './postgres-driver.ts'
import { isCancelled, isUndoneForOthers, undoneForOthers } from './postgres-error.ts'
import type { StatementSignal } from './statement-signal.ts'

/** Drives the `sql` function of postgres.js. */
export function openPostgresJs(sql: PostgresJsSql): PostgresDriver {
  let isShared: boolean | null = null
  const cancels = createCancels()
  const isHit = (error: unknown): boolean => isCancelled(error) && cancels.mayHaveHit()

  /**
   * Returns whether the connection leads to a pooler, because its key names no process of the server. postgres.js must
   * not prepare statements there: it repeats a missing statement among other statements, and may assign their rows to
   * it.
   */
  async function readIsShared(signal: StatementSignal): Promise<boolean> {
    return alone(async () => {
      const query = sql.unsafe('select pg_backend_pid() as pid')
      const [row] = await ask(query, signal)
      return row?.pid !== query.state?.pid
    })
  }

  const places = sql.options?.max ?? 10
  const semaphore = createSemaphore({ atOnce: places, waiting: Number.POSITIVE_INFINITY })

  /**
   * Runs the work on a free connection. With more statements than connections, postgres.js would send several on one
   * connection: a cancel request could cancel the wrong statement, and a pooler could release the connection between them.
   */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    await semaphore.enter()
    return work().finally(() => semaphore.leave())
  }

  async function ask(query: PostgresJsQuery, signal: StatementSignal) {
    const cancel = () => cancels.send(query)
    signal.addEventListener('abort', cancel)
    try {
      return (await query) as readonly SqlRow[]
    } catch (error) {
      throw !signal.aborted && isHit(error) ? undoneForOthers(error) : error
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  const send = (text: string, values: readonly unknown[], signal: StatementSignal, options = {}) =>
    alone(async () => {
      signal.throwIfAborted()
      return ask(sql.unsafe(text, values as never, options), signal)
    })

  return {
    places,
    query: send,
    // It names the statements itself, and does not where its own option says so.
    async prepared(text, values, signal) {
      isShared ??= await readIsShared(signal)
      return send(text, values, signal, { prepare: !isShared })
    },
    script: (text, signal) =>
      alone(async () => {
        signal.throwIfAborted()
        await sql.unsafe(text).simple()
      }),
    transaction: (work, limitMs, signal) =>
      alone(async () => {
        let isWorking = false
        const run = () =>
          sql.begin(async (within) => {
            signal.throwIfAborted()
            await ask(within.unsafe(`set local statement_timeout = ${limitMs}`, []), signal)
            await cancels.acknowledged()
            signal.throwIfAborted()
            isWorking = true
            const result = await work((text, values) => ask(within.unsafe(text, values as never), signal))
            signal.throwIfAborted()
            return result
          }) as ReturnType<typeof work>
        return run().catch((error) => {
          if (isWorking || signal.aborted || !(isUndoneForOthers(error) || isHit(error))) throw error
          return run()
        })
      }),
    // Without a limit it would wait for lost connections.
    end: () => sql.end({ timeout: 1 }),
  }
}
