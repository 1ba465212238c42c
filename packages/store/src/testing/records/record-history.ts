import type { NewRecord, RecordStore, StoredRecord } from '../../record-store.ts'
import { describeHistory, type Operation, type SequentialModel, shortestFailure } from '../history/linearize.ts'
import type { TestTable } from '../test-runner.ts'
import type { RecordBench } from './record-bench.ts'

type State = StoredRecord | null

/** One record of the contract. Its lifetime is longer than a test, so that expiry plays no part. */
const recordModel: SequentialModel<State> = {
  initial: null,
  step(state, { method, input, answer, end }) {
    const gives = (expected: unknown, next: State): readonly State[] =>
      end === Number.POSITIVE_INFINITY || answer === expected ? [next] : []
    if (method === 'get') return sameRecord(answer, state) ? [state] : []
    if (method === 'insert') return gives(!state, state ?? { ...(input[0] as NewRecord), version: 1 })
    if (method === 'remove') return gives(state !== null, null)
    if (method === 'removeByOwner') return [null]
    if (method === 'touch') return gives(state !== null, state && { ...state, expiresAt: Number(input[1]) })
    const [current, next] = input as Parameters<RecordStore['replace']>
    const isCurrent = state !== null && state.version === current.version
    return gives(isCurrent, isCurrent ? { ...state, ...pick(next), version: state.version + 1 } : state)
  },
}

/** Runs each test with recorded clients and checks the history of every record that they met. */
export function withHistories(table: TestTable<RecordBench>): TestTable<RecordBench> {
  const checked = Object.entries(table).map(([title, body]) => {
    const run = async (bench: RecordBench): Promise<void> => {
      const history: Operation[] = []
      await body(bench.through((store, caller) => recordCalls(store, caller, history)))
      checkHistories(history)
    }
    return [title, run] as const
  })
  return Object.fromEntries(checked)
}

const recorded = ['insert', 'get', 'replace', 'touch', 'remove', 'removeByOwner']

/** The same client, whose calls are added to the history. */
function recordCalls(store: RecordStore, caller: string, history: Operation[]): RecordStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (!recorded.includes(String(name))) return member.bind(target)
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

function checkHistories(history: readonly Operation[]): void {
  for (const key of new Set(history.flatMap((operation) => keyOf(operation) ?? []))) {
    const failure = shortestFailure(historyOf(key, history), recordModel, isRead)
    if (failure) throw new Error(`no order of these calls explains their answers:\n${describeHistory(failure)}`)
  }
}

/** The calls that meet one record. A call by owner must remove it only if its insert had resolved before. */
function historyOf(key: string, history: readonly Operation[]): readonly Operation[] {
  const own = history.filter((operation) => keyOf(operation) === key)
  const inserts = own.filter(({ method }) => method === 'insert')
  const byOwner = history.filter(({ method, input: [owner, options] }) => {
    const isOwner = inserts.some(({ input }) => (input[0] as NewRecord).owner === owner)
    return method === 'removeByOwner' && isOwner && (options as { except?: string } | undefined)?.except !== key
  })
  const removals = byOwner.map((call) =>
    inserts.some(({ end }) => end < call.start) ? call : { ...call, end: Number.POSITIVE_INFINITY },
  )
  return [...own, ...removals]
}

function keyOf({ method, input: [first] }: Operation): string | undefined {
  if (method === 'removeByOwner') return undefined
  return typeof first === 'string' ? first : (first as StoredRecord).key
}

function isRead({ method, answer }: Operation): boolean {
  return method === 'get' || answer === false
}

function sameRecord(answer: unknown, state: State): boolean {
  const fields = (record: State) => record && [record.value, record.version, record.expiresAt, record.owner]
  return JSON.stringify(fields((answer ?? null) as State)) === JSON.stringify(fields(state))
}

function pick({ value, expiresAt }: Pick<StoredRecord, 'value' | 'expiresAt'>) {
  return { value, expiresAt }
}
