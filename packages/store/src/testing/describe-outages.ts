import { pause } from '@latchkey/core/internal'
import { holds, same } from './assertions.ts'
import { type Call, type Outcome, outcomesOf, withinDeadline } from './outage.ts'
import type { KitOutages } from './store-kit.ts'
import { type KitPart, runnableParts, runTables, type TestRunner, type TestTable } from './test-runner.ts'

/** A change that is made while the backend is frozen. */
export interface OutageChange {
  readonly call: () => Promise<unknown>
  /** Rejects if the change was applied. It is called when the backend resumes, and only if the call was rejected. */
  readonly checkUndone: () => Promise<void>
}

/** The calls to make while the backend fails, on data that was prepared before. */
export interface OutageCalls<Store> {
  /** Every method of a client, by name. */
  readonly callsOf: (client: Store) => Readonly<Record<string, () => Promise<unknown>>>
  /** Every method that changes data, by name, each on its own data. */
  readonly changes: Readonly<Record<string, OutageChange>>
  /** Removes what was stored for them. Omitted: it stays. */
  readonly cleanUp?: () => Promise<void>
}

/** The calls to make, and the ways in which the backend fails. */
export interface OutageKit<Store> extends TestRunner, KitOutages<Store> {
  /** Returns two clients of the backend under test, the same two each time. */
  readonly clients: () => Promise<readonly [store: Store, other: Store]>
  /** Stores what the calls need, while the backend answers. */
  readonly prepare: (store: Store, other: Store) => Promise<OutageCalls<Store>>
  /** Reads anything: whether the backend answers again. */
  readonly probe: (client: Store) => Promise<unknown>
}

/** How long a backend may take to serve its clients again after it was thawed, in milliseconds. */
const recoveryMs = 20_000
/** The time in which a resumed backend executes late commands. */
const settledMs = 300

/**
 * Describes the duties of any store during an outage as tests of a runner: every method rejects with a `StoreError` at
 * its deadline, none returns an answer, and no rejected change is applied later.
 */
export function describeOutages<Store>(kit: OutageKit<Store>): void {
  const { describe, test, clients, prepare, probe, unreachable, freeze, thaw, freezes = 'all', deadlineMs = 250 } = kit

  const openBench = async (): Promise<OutageBench> => {
    const [store, other] = await clients()
    return {
      deadlineMs,
      async cut() {
        if (!unreachable) throw new Error('"unreachable" must be given')
        const { callsOf, cleanUp } = await prepare(store, other)
        const outcomes = await outcomesOfUnreachable(unreachable, callsOf, deadlineMs)
        await cleanUp?.()
        return outcomes
      },
      async frozen() {
        if (!freeze || !thaw) throw new Error('"freeze" and "thaw" must be given')
        const { callsOf, changes, cleanUp } = await prepare(store, other)
        const calls = Object.entries(callsOf(store)).filter(([name]) => freezes === 'all' || name in changes)
        const outcomes = await whileFrozen(freeze, thaw, () => outcomesOf(calls, deadlineMs))
        await recovered(() => probe(store))
        await cleanUp?.()
        return outcomes
      },
      async checkChanges() {
        if (!freeze || !thaw) throw new Error('"freeze" and "thaw" must be given')
        const { cleanUp, ...prepared } = await prepare(store, other)
        const changes = Object.entries(prepared.changes)
        const outcomes = await whileFrozen(freeze, thaw, () =>
          outcomesOf(
            changes.map(([name, { call }]) => [name, call]),
            deadlineMs,
          ),
        )
        await Promise.all([recovered(() => probe(store)), recovered(() => probe(other))])
        await pause(settledMs)
        const failed = new Set(outcomes.filter(({ answered }) => !answered).map(({ name }) => name))
        for (const [name, { checkUndone }] of changes) if (failed.has(name)) await checkUndone()
        await cleanUp?.()
      },
    }
  }
  const parts: readonly KitPart<TestTable<OutageBench>>[] = [
    ['unreachable', unreachableBackend, unreachable !== undefined, '"unreachable"'],
    ['frozen', frozenBackend, freeze !== undefined && thaw !== undefined, '"freeze" and "thaw"'],
  ]
  const runnable = runnableParts('outages', kit, parts)
  const outages = Object.assign({}, ...Object.values(runnable)) as TestTable<OutageBench>
  if (Object.keys(outages).length > 0) runTables({ describe, test }, { outages }, openBench)
}

interface OutageBench {
  readonly deadlineMs: number
  /** Returns the outcome of every method when the backend cannot be reached. */
  cut(): Promise<readonly Outcome[]>
  /** Returns the outcome of every method when the backend is frozen. */
  frozen(): Promise<readonly Outcome[]>
  /** Makes every change while the backend is frozen, and afterwards checks that rejected changes were not applied. */
  checkChanges(): Promise<void>
}

const unreachableBackend: TestTable<OutageBench> = {
  'an unreachable backend is an outage to every method, never an answer': async ({ cut }) => {
    for (const { name, answered } of await cut()) {
      holds(!answered, `${name} must reject while the backend is unreachable`)
    }
  },

  'an outage is a StoreError, not the error of the driver': async ({ cut }) => {
    for (const { name, answered, code } of await cut()) {
      if (!answered) same(code, 'StoreError STORE_UNAVAILABLE', `the name and code of what ${name} rejects with`)
    }
  },

  'an unreachable backend is given up at the deadline': async ({ cut, deadlineMs }) => {
    withinDeadline(await cut(), deadlineMs)
  },
}

const frozenBackend: TestTable<OutageBench> = {
  'a frozen backend is given up at the deadline': async ({ frozen, deadlineMs }) => {
    const outcomes = await frozen()
    for (const { name, answered } of outcomes) holds(!answered, `${name} must reject while the backend is frozen`)
    withinDeadline(outcomes, deadlineMs)
  },

  'what was reported as failed is not executed when a frozen backend goes on': ({ checkChanges }) => checkChanges(),
}

/** Creates the client, and calls its methods; a rejection of the factory counts for all of them. */
async function outcomesOfUnreachable<Store>(
  unreachable: () => Store | Promise<Store>,
  callsOf: OutageCalls<Store>['callsOf'],
  deadlineMs: number,
): Promise<readonly Outcome[]> {
  let calls: readonly Call[] = []
  const create = async (): Promise<void> => {
    calls = Object.entries(callsOf(await unreachable()))
  }
  const created = await outcomesOf([['the factory of an unreachable store', create]], deadlineMs)
  return created.some(({ answered }) => answered) ? outcomesOf(calls, deadlineMs) : created
}

type Switch = () => void | Promise<void>

async function whileFrozen<Outcome>(freeze: Switch, thaw: Switch, act: () => Promise<Outcome>): Promise<Outcome> {
  await freeze()
  try {
    return await act()
  } finally {
    await thaw()
  }
}

/** Resolves when the backend answers again. */
async function recovered(probe: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + recoveryMs
  for (;;) {
    try {
      await probe()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(50)
    }
  }
}
