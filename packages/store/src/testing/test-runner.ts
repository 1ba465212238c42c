/** The two functions that a kit needs of a test runner: those of vitest, `node:test` and Jest fit as they are. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/** The clock that a kit shares with the stores under test. */
export interface KitClock {
  /** The clock that was given to the stores, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
  /** Resolves when that clock has moved on by so many milliseconds; a timer unless told. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

/** Tests under their titles, each of them run with the same argument. */
export type TestTable<Bench> = Readonly<Record<string, (bench: Bench) => Promise<void>>>

/** Hands every test of the tables to the runner. */
export function runTables<Bench>(
  { describe, test }: TestRunner,
  tables: Readonly<Record<string, TestTable<Bench>>>,
  openBench: () => Promise<Bench>,
): void {
  for (const [name, table] of Object.entries(tables)) {
    describe(name, () => {
      for (const [title, body] of Object.entries(table)) test(title, async () => body(await openBench()))
    })
  }
}

/** Gives a function that makes two clients of one backend when it is first called, and the same two ever after. */
export function pairOnce<Store>(createStore: () => Store | Promise<Store>): () => Promise<readonly [Store, Store]> {
  let pair: Promise<readonly [Store, Store]> | undefined
  const make = async () => [await createStore(), await createStore()] as const
  return () => {
    pair ??= make()
    return pair
  }
}

export function timer(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
