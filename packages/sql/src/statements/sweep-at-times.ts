import { type SqlExecutor, storeTime } from './sql-executor.ts'

/** More are removed than were added, so that they do not accumulate. */
const rowsPerSweep = 50
const sweptAtOnce = 200

/**
 * Returns a function to call after each new row. Now and then it removes expired rows, by a statement that takes the
 * time and the largest number of rows. If the statement finds that many, it runs after each row, so that the rows of a
 * flood are gone after a few new rows.
 */
export function createSweepAtTimes(run: SqlExecutor['run'], sweep: string): () => Promise<void> {
  let awaited = rowsPerSweep
  return async () => {
    awaited -= 1
    if (awaited > 0) return
    awaited = rowsPerSweep
    // The new row is written already, so a failure of the sweep must not be reported. The next sweep removes what this
    // one left.
    const swept = await run(sweep, [storeTime, sweptAtOnce]).catch(() => [])
    if (swept.length === sweptAtOnce) awaited = 1
  }
}
