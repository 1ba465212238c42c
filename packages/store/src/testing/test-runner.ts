import { describeError } from './describe-error.ts'

/** The functions of a test runner that a kit needs: vitest, `node:test` and Jest have them. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /**
   * `afterAll` of vitest and Jest, `after` of `node:test`: the kit calls it to close every client once, at the end.
   * Omitted: the kit closes no clients.
   */
  readonly afterAll?: (body: () => Promise<void>) => unknown
  /** Called for each test that needs what the kit was not given. Omitted: one line for each need goes to the console. */
  readonly skip?: (title: string, needs: string) => unknown
}

/** Returns the functions of the runner alone. */
export function runnerOf({ describe, test, afterAll, skip }: TestRunner): TestRunner {
  return { describe, test, ...(afterAll && { afterAll }), ...(skip && { skip }) }
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

/** Tests that need something. */
export type KitPart<Table> = readonly [name: string, table: Table, isGiven: boolean, needs: string]

/** Returns the tables whose needs are met, by name, and reports the tests of the others as skipped. */
export function runnableParts<Table extends object>(
  kit: string,
  { skip }: Pick<TestRunner, 'skip'>,
  parts: readonly KitPart<Table>[],
): Readonly<Record<string, Table>> {
  for (const [, table, isGiven, needs] of parts) {
    if (isGiven) continue
    const titles = Object.keys(table)
    if (skip) for (const title of titles) skip(title, needs)
    // biome-ignore lint/suspicious/noConsole: authors of stores read here what was not tested.
    else console.info(`${kit}: skipped without ${needs}: ${titles.join('; ')}`)
  }
  return Object.fromEntries(parts.filter(([, , isGiven]) => isGiven).map(([name, table]) => [name, table]))
}

/**
 * Returns a function that creates two clients of one backend when it is first called, and returns the same two from
 * then on.
 */
export function pairOnce<Store>(
  createStore: () => Store | Promise<Store>,
  createOther: () => Store | Promise<Store> = createStore,
): () => Promise<readonly [Store, Store]> {
  let pair: Promise<readonly [Store, Store]> | undefined
  const make = async () => [await createStore(), await createOther()] as const
  return () => {
    pair ??= make()
    return pair
  }
}

/** Returns the client with methods whose errors name the method, the code and the cause. */
export function namingFailures<Store extends object>(store: Store): Store {
  // Not the store itself: a proxy may not change what a frozen object has.
  return new Proxy(Object.create(store) as Store, {
    get(_target, name) {
      const member: unknown = Reflect.get(store, name, store)
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        const answer = callNamed(String(name), () => member.apply(store, given))
        return answer instanceof Promise ? answer.catch((error: unknown) => fail(String(name), error)) : answer
      }
    },
  })
}

function callNamed(method: string, call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return fail(method, error)
  }
}

function fail(method: string, error: unknown): never {
  throw new Error(`${method} rejected with ${describeError(error)}`, { cause: error })
}

/** Returns a function that registers a client to be closed at the end, if the runner has a hook for it. */
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
