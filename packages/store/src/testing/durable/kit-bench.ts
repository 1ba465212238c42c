import { randomToken } from '@latchkey/bytes'
import { same } from '../assertions.ts'
import { describeOutages, type OutageCalls } from '../describe-outages.ts'
import { reportingRunner } from '../kit-report.ts'
import type { StoreKit } from '../store-kit.ts'
import {
  type KitPart,
  namingFailures,
  pairOnce,
  runnableParts,
  runnerOf,
  runTables,
  type TestTable,
} from '../test-runner.ts'

export interface DurableBench<Store> {
  readonly store: Store
  readonly other: Store
}

/** The tests of a durable store: those by name, and every method while the backend fails. */
export interface DurableTables<Store> {
  readonly tables: Readonly<Record<string, TestTable<DurableBench<Store>>>>
  /** Tests that need what the kit may not have been given. */
  readonly parts?: readonly KitPart<TestTable<DurableBench<Store>>>[]
  readonly prepareOutages: (bench: DurableBench<Store>) => Promise<OutageCalls<Store>>
  /** Reads anything. */
  readonly probe: (client: Store) => Promise<unknown>
}

/** Passes the tests of a durable store to a runner. */
export function describeDurable<Store extends object>(
  name: string,
  kit: StoreKit<Store>,
  { tables, parts = [], prepareOutages, probe }: DurableTables<Store>,
): void {
  const { runner, addReport } = reportingRunner(name, runnerOf(kit), kit)
  const connect = pairOnce(kit.createStore, kit.createStoreElsewhere)
  const openBench = async (): Promise<DurableBench<Store>> => {
    const [store, other] = await connect()
    return { store: namingFailures(store), other: namingFailures(other) }
  }
  runner.describe(name, () => {
    runTables(runner, { ...tables, ...runnableParts(name, runner, parts) }, openBench)
    const prepare = async () => prepareOutages(await openBench())
    describeOutages({ ...kit, ...runner, clients: connect, prepare, probe })
    addReport()
  })
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
