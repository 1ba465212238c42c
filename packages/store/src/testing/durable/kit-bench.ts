import { randomToken } from '@latchkey/bytes'
import { holds, same } from '../assertions.ts'
import { describeOutages, type KitOutages, type OutageCalls } from '../describe-outages.ts'
import { type KitReporting, reportingRunner } from '../kit-report.ts'
import { namingFailures, pairOnce, runnerOf, runTables, type TestRunner, type TestTable } from '../test-runner.ts'

/** What the kit of a durable store needs: a runner, two clients of one backend, and how that fails. */
export interface DurableKit<Store> extends TestRunner, KitOutages<Store>, KitReporting {
  /** Creates a client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => Store | Promise<Store>
  /**
   * Creates the second client, in another process: it finds data that is kept in the memory of a process. See
   * `createStoreInProcess`.
   * @default `createStore`
   */
  readonly createStoreElsewhere?: () => Store | Promise<Store>
}

export interface DurableBench<Store> {
  readonly store: Store
  readonly other: Store
}

/** The tests of a durable store: those by name, and every method while the backend fails. */
export interface DurableTables<Store> {
  readonly tables: Readonly<Record<string, TestTable<DurableBench<Store>>>>
  readonly prepareOutages: (bench: DurableBench<Store>) => Promise<OutageCalls<Store>>
  /** Reads anything. */
  readonly probe: (client: Store) => Promise<unknown>
}

/** Passes the tests of a durable store to a runner. */
export function describeDurable<Store extends object>(
  name: string,
  kit: DurableKit<Store>,
  { tables, prepareOutages, probe }: DurableTables<Store>,
): void {
  const { runner, addReport } = reportingRunner(name, runnerOf(kit), kit)
  const connect = pairOnce(kit.createStore, kit.createStoreElsewhere)
  const openBench = async (): Promise<DurableBench<Store>> => {
    const [store, other] = await connect()
    return { store: namingFailures(store), other: namingFailures(other) }
  }
  runner.describe(name, () => {
    runTables(runner, tables, openBench)
    const prepare = async () => prepareOutages(await openBench())
    describeOutages({ ...kit, ...runner, clients: connect, prepare, probe })
    addReport()
  })
}

/** A name that no other test uses. */
export function fresh(prefix: string): string {
  return `${prefix}_${randomToken(16)}`
}

/** What is stored under an id, with a version that its store chooses. */
interface Versioned<Value> {
  get(id: string): Promise<{ readonly version: number } | null>
  insert(value: Value): Promise<boolean>
  replace(id: string, version: number, value: string): Promise<boolean>
  remove(id: string): Promise<boolean>
}

/** Throws unless what is stored has a version that can be replaced, and returns that. */
export async function versionOf<Value>(store: Versioned<Value>, id: string): Promise<number> {
  const version = (await store.get(id))?.version ?? 0
  holds(Number.isSafeInteger(version) && version >= 1, 'a version must be a safe integer of at least 1')
  return version
}

/** Throws when a version of an id is used again after a removal. */
export async function usesNoVersionAgain<Value extends { readonly id: string }>(
  { store, other }: DurableBench<Versioned<Value>>,
  value: Value,
): Promise<void> {
  const { id } = value
  const versions: number[] = []
  for (let life = 1; life <= 8; life++) {
    holds(await store.insert(value), 'insert of an id that was removed must be true')
    for (const version of versions) {
      same(await store.replace(id, version, 'late'), false, 'replace of a version from before the removal')
    }
    versions.push(await versionOf(store, id))
    // A life is longer than the one before, so that the same versions would meet.
    for (let change = 0; change < life; change++) {
      holds(await other.replace(id, versions.at(-1) ?? 0, 'changed'), 'replace of the current version must be true')
      versions.push(await versionOf(store, id))
    }
    same(new Set(versions).size, versions.length, 'the number of versions that the id has had')
    holds(await store.remove(id), 'remove must be true')
  }
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
export async function isOwnCopy<T extends object>(read: () => Promise<T | null | undefined>): Promise<void> {
  const [first, second] = [await read(), await read()]
  if (!first || !second) throw new Error('it must be stored')
  const before = JSON.stringify(second)
  spoil(first)
  same(JSON.stringify(await read()), before, 'what is stored, after a returned object was changed')
}

/** Changes every member of an object, unless it is frozen. */
export function spoil(data: object): void {
  if (Object.isFrozen(data)) return
  for (const name of Object.keys(data)) Object.assign(data, { [name]: 'spoiled' })
}
