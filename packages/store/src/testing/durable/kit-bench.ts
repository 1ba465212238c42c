import { randomToken } from '@latchkey/bytes'
import { holds, same } from '../assertions.ts'
import { pairOnce, runTables, type TestRunner, type TestTable } from '../test-runner.ts'

/** What the kit of a durable store needs: a runner, and two clients of one backend. */
export interface DurableKit<Store> extends TestRunner {
  /** Creates a client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => Store | Promise<Store>
}

export interface DurableBench<Store> {
  readonly store: Store
  readonly other: Store
}

/** Passes the tests of a durable store to a runner. */
export function describeDurable<Store>(
  name: string,
  { describe, test, createStore }: DurableKit<Store>,
  tables: Readonly<Record<string, TestTable<DurableBench<Store>>>>,
): void {
  const connect = pairOnce(createStore)
  const openBench = async (): Promise<DurableBench<Store>> => {
    const [store, other] = await connect()
    return { store, other }
  }
  describe(name, () => runTables({ describe, test }, tables, openBench))
}

/** A name that no other test uses. */
export function fresh(prefix: string): string {
  return `${prefix}_${randomToken(16)}`
}

/** Calls twenty times at once, alternately on both clients. */
export function race<Store, T>(
  { store, other }: DurableBench<Store>,
  call: (client: Store, index: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: 20 }, (_none, index) => call(index % 2 ? other : store, index)))
}

/** Throws unless exactly one of several calls was answered `true`, and returns which. */
export function winnerOf(outcomes: readonly boolean[]): number {
  same(outcomes.filter(Boolean).length, 1, 'the number of winners')
  return outcomes.indexOf(true)
}

/** Throws unless what a store returned is a copy: changing it must not change what is stored. */
export async function isOwnCopy<T extends object>(read: () => Promise<T | null>): Promise<void> {
  const [first, second] = [await read(), await read()]
  holds(first !== null && second !== null, 'it is stored')
  const before = JSON.stringify(second)
  if (first && !Object.isFrozen(first))
    for (const name of Object.keys(first)) Object.assign(first, { [name]: 'spoiled' })
  same(JSON.stringify(await read()), before, 'what is stored, after a returned object was changed')
}
