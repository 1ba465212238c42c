import { type SqlExecutor, storeTime } from './sql-executor.ts'

/** More are removed than were added, so that they do not accumulate. */
const rowsPerSweep = 50
const sweptAtOnce = 200

/**
 * Returns what is called after each new row. At times it removes rows whose time has come, by a statement that takes the
 * time and how many rows it removes at most; after each row while it finds as many, so that what a flood has left is gone
 * after few new rows.
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
