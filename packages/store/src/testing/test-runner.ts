/** The functions that a kit needs of a test runner: those of vitest, `node:test` and Jest fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /**
   * `afterAll` of vitest and Jest, `after` of `node:test`: with it the kit calls `close` of every client that it was
   * given, once, at the end. Omitted: the kit closes nothing.
   */
  readonly afterAll?: (body: () => Promise<void>) => unknown
}

/** The clock that a kit shares with the stores under test. */
export interface KitClock {
  /**
   * The clock of the stores under test, in epoch milliseconds. Default: that of the stores, as they tell it.
   */
  readonly now?: () => number
  /** Resolves when that clock has advanced by so many milliseconds. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

/** Tests by title. */
export type TestTable<Bench> = Readonly<Record<string, (bench: Bench) => Promise<void>>>

/** Passes every test of the tables to the runner. */
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

/**
 * Returns a function that creates two clients of one backend when it is first called, and returns the same two from
 * then on.
 */
export function pairOnce<Store>(createStore: () => Store | Promise<Store>): () => Promise<readonly [Store, Store]> {
  let pair: Promise<readonly [Store, Store]> | undefined
  const make = async () => [await createStore(), await createStore()] as const
  return () => {
    pair ??= make()
    return pair
  }
}

/** Returns what registers a client to be closed at the end, where the runner's hook is given. */
export function closeAfterAll(
  afterAll: TestRunner['afterAll'],
): <Store extends { close?(): Promise<void> }>(store: Store) => Store {
  const opened = new Set<{ close?(): Promise<void> }>()
  afterAll?.(async () => {
    await Promise.all([...opened].map((store) => store.close?.()))
  })
  return (store) => {
    opened.add(store)
    return store
  }
}
