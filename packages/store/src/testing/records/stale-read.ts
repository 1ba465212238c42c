import { describeFailure } from '@latchkey/core/internal'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

/** Adds to the message of a failure that only a second client sees what is behind it in most stores. */
export function withStaleReadHint(table: TestTable<RecordBench>): TestTable<RecordBench> {
  const hinted = Object.entries(table).map(([title, body]) => {
    const run = async (bench: RecordBench): Promise<void> => {
      try {
        await body(bench)
      } catch (error) {
        if (!(await passes(body, bench.alone()))) throw error
        const hint = 'With one client alone this passes: a stale read of the other client?'
        throw new Error(`${error instanceof Error ? error.message : describeFailure(error)}. ${hint}`, { cause: error })
      }
    }
    return [title, run] as const
  })
  return Object.fromEntries(hinted)
}

function passes(body: (bench: RecordBench) => Promise<void>, bench: RecordBench): Promise<boolean> {
  return body(bench).then(
    () => true,
    () => false,
  )
}
