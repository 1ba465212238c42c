import type { SqlRow } from './sql-executor.ts'

/** A request for one row. */
interface Keyed {
  readonly key: string
}

interface Waiting<Asked extends Keyed> {
  readonly asked: Asked
  readonly resolve: (row: SqlRow | undefined) => void
  readonly reject: (error: unknown) => void
}

/** A limit, because each number of rows may need its own prepared statement. */
const togetherAtMost = 8

/** A text of others could be one that the database cannot read, and would fail for all. */
const isPlain = /^[\w:.-]{1,512}$/

/**
 * Returns a function that reads one row: the callers of one turn share a statement, each with another key.
 *
 * @param ask runs the statement, for keys in their order, and returns the rows with their `key`.
 */
export function joinTurn<Asked extends Keyed>(
  ask: (asked: readonly Asked[]) => Promise<readonly SqlRow[]>,
): (asked: Asked) => Promise<SqlRow | undefined> {
  let waiting: Waiting<Asked>[] = []

  async function run(batch: readonly Waiting<Asked>[]): Promise<void> {
    try {
      const inOrder = batch.map(({ asked }) => asked).sort((one, other) => (one.key < other.key ? -1 : 1))
      const rows = new Map((await ask(inOrder)).map((row) => [String(row.key), row]))
      for (const { asked, resolve } of batch) resolve(rows.get(asked.key))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function flush(): void {
    const all = waiting
    waiting = []
    const batches: Map<string, Waiting<Asked>>[] = []
    for (const one of all) {
      const { key } = one.asked
      const open = batches.find((batch) => isPlain.test(key) && batch.size < togetherAtMost && !batch.has(key))
      if (open) open.set(key, one)
      else if (isPlain.test(key)) batches.push(new Map([[key, one]]))
      else void run([one])
    }
    for (const batch of batches) void run([...batch.values()])
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ asked, resolve, reject }) === 1) queueMicrotask(flush)
    })
}
