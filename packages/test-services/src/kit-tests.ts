/** The functions that a kit needs to describe a store: `describe` and `test` of any runner. */
export interface KitRunner {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (title: string, body: () => Promise<void>) => void
  readonly skip?: (title: string, needs: string) => void
}

/** A test of a kit. */
export interface KitTest {
  /** Its innermost `describe`. */
  readonly group: string
  readonly title: string
  readonly body: () => Promise<void>
}

/** Returns the tests that a kit passes to a runner, in their order. None of them is run. */
export function collectTests(describeKit: (runner: KitRunner) => void): readonly KitTest[] {
  const tests: KitTest[] = []
  let group = ''
  describeKit({
    describe(name, body) {
      const outer = group
      group = name
      body()
      group = outer
    },
    test: (title, body) => void tests.push({ group, title, body }),
    skip: () => undefined,
  })
  return tests
}

/** Runs tests one after the other, and returns the message of each that fails, by its title. */
export async function failuresOf(tests: readonly KitTest[]): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  for (const { title, body } of tests) {
    await body().catch((error: unknown) => failures.set(title, error instanceof Error ? error.message : String(error)))
  }
  return failures
}

/** Returns the titles of the tests of a kit that fail. */
export async function failedTitles(describeKit: (runner: KitRunner) => void): Promise<readonly string[]> {
  return [...(await failuresOf(collectTests(describeKit))).keys()]
}
