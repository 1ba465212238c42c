import type { TestTable } from '../test-runner.ts'
import { describeHistory, type Operation, type SequentialModel, shortestFailure } from './linearize.ts'

/** A contract as the calls that meet one of its objects. Their answers do not depend on other objects. */
export interface ObjectModel<State> extends SequentialModel<State> {
  /** The methods that are recorded. */
  readonly methods: readonly string[]
  /** Returns the name of the object that a call meets; `null` for a call that meets every object of an owner. */
  nameOf(operation: Operation): string | null
}

/** Returns the same client, wrapped. */
export type Wrap = <Store extends object>(client: Store, name: string) => Store

interface Clients {
  readonly store: object
  readonly other: object
}

/** Runs each test with recorded clients and checks the history of every object that they met. */
export function withHistories<Bench extends Clients, State>(
  table: TestTable<Bench>,
  model: ObjectModel<State>,
  through: (bench: Bench, wrap: Wrap) => Bench = wrapBoth,
): TestTable<Bench> {
  const checked = Object.entries(table).map(([title, body]) => {
    const run = async (bench: Bench): Promise<void> => {
      const history: Operation[] = []
      await body(through(bench, (store, caller) => recordCalls(store, caller, model.methods, history)))
      checkHistories(history, model)
    }
    return [title, run] as const
  })
  return Object.fromEntries(checked)
}

const callers = 8

/**
 * Makes four calls in sequence for each of eight callers at once, alternately on both clients. A call gets the result of
 * the caller's call before. The first caller differs by round.
 */
export async function raceInSteps<Store extends object, Read>(
  { store, other }: { readonly store: Store; readonly other: Store },
  { round, first }: { readonly round: number; readonly first: Read },
  call: (client: Store, caller: number, step: number, last: Read) => Promise<Read>,
): Promise<void> {
  const run = async (caller: number) => {
    let last = first
    for (let step = 0; step < 4; step++) last = await call(caller % 2 ? other : store, caller, step, last)
  }
  await Promise.all(Array.from({ length: callers }, (_none, place) => run((place + round) % callers)))
}

function wrapBoth<Bench extends Clients>(bench: Bench, wrap: Wrap): Bench {
  return { ...bench, store: wrap(bench.store, 'client 1'), other: wrap(bench.other, 'client 2') }
}

/** The same client, whose calls are added to the history. */
function recordCalls<Store extends object>(
  store: Store,
  caller: string,
  methods: readonly string[],
  history: Operation[],
): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (!methods.includes(String(name))) return member.bind(target)
      return async (...input: unknown[]) => {
        const call = { caller, method: String(name), input, start: tick(), end: Number.POSITIVE_INFINITY }
        const place = history.push(call) - 1
        const answer: unknown = await member.apply(target, input)
        history[place] = { ...call, answer, end: tick() }
        return answer
      }
    },
  })
}

let ticks = 0

function tick(): number {
  ticks += 1
  return ticks
}

function checkHistories<State>(history: readonly Operation[], model: ObjectModel<State>): void {
  const byName = Map.groupBy(history, (operation) => model.nameOf(operation))
  const byOwner = byName.get(null) ?? []
  byName.delete(null)
  for (const own of byName.values()) {
    const owners = own.map(({ input: [first] }) => (first as { readonly owner?: unknown } | undefined)?.owner)
    const removals = byOwner.filter(({ input: [owner] }) => owners.includes(owner))
    const failure = shortestFailure([...own, ...removals], model)
    if (failure) throw new Error(`no order of these calls explains their answers:\n${describeHistory(failure)}`)
  }
}
