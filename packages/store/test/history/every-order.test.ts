import {
  type CounterStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'
import {
  counterModel,
  describeHistory,
  documentModel,
  isLinearizable,
  type Operation,
  recordModel,
  type SequentialModel,
} from '@latchkey/store/internal/testing'
import { describe, expect, test } from 'vitest'

type Draw = <T>(list: readonly T[]) => T
type Call = readonly [method: string, ...input: unknown[]]

interface Contract {
  readonly name: string
  readonly model: SequentialModel<unknown>
  /** Makes each call after the one before, as the memory store does. */
  readonly createStore: () => object
  readonly drawCall: (draw: Draw) => Call
}

const now = () => Date.UTC(2026, 0, 1)
const [hour, day] = [3_600_000, 86_400_000]
const versions = ['v1', 'v2', 'v3']

const contracts: readonly Contract[] = [
  {
    name: 'counters',
    model: counterModel,
    createStore() {
      const store = createMemoryCounterStore({ now })
      // The end of a window depends on the order of the calls: the tests of the models have it.
      const hit: CounterStore['hit'] = async (...input) => ({ ...(await store.hit(...input)), resetAt: now() + hour })
      return { ...store, hit }
    },
    drawCall: (draw) =>
      draw<Call>([
        ['hit', 'key', hour, draw([1, 2, -1, 0, 0])],
        ['hit', 'key', hour],
        ['reset', 'key'],
      ]),
  },
  {
    name: 'documents',
    model: documentModel,
    createStore: createMemoryDocumentStore,
    drawCall(draw) {
      const [current, version] = [{ collection: 'note', id: '1', version: draw(versions) }, draw(versions)]
      return draw<Call>([
        ['insert', { ...current, owner: null, value: 'first' }],
        ['get', 'note', '1'],
        ['get', 'note', '1'],
        ['replace', current, { version, value: `value ${version}` }],
        ['replace', current, { version, value: `value ${version}` }],
        ['remove', draw([current, { collection: 'note', id: '1' }])],
      ])
    },
  },
  {
    name: 'records',
    model: recordModel,
    createStore: () => createMemoryRecordStore({ now }),
    drawCall(draw) {
      const current = { key: 'key', owner: null, version: draw([1, 2, 3]) }
      const expiresAt = now() + draw([hour, day])
      return draw<Call>([
        ['insert', { key: 'key', owner: null, value: 'first', expiresAt }],
        ['get', 'key'],
        ['get', 'key'],
        ['replace', current, { value: 'second', expiresAt }],
        ['replace', current, { value: 'third', expiresAt }],
        ['touch', current, expiresAt],
        ['remove', 'key'],
      ])
    },
  },
]

/** The generator that is known as mulberry32: numbers from 0 to 1, always the same. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const callOn = async (store: object, { method, input }: Pick<Operation, 'method' | 'input'>): Promise<unknown> =>
  Reflect.apply(Reflect.get(store, method), store, input)

/** Calls that took effect one after the other, each at its own instant between its start and its end. */
async function drawHistory({ createStore, drawCall }: Contract, random: () => number, calls: number) {
  const draw: Draw = (list) => list[Math.floor(random() * list.length)]!
  const store = createStore()
  const history: Operation[] = []
  for (let instant = 1; instant <= calls; instant++) {
    const [method, ...input] = drawCall(draw)
    const answer = await callOn(store, { method, input })
    const [start, end] = [instant - 3 * random() ** 2, instant + 3 * random() ** 2]
    const isLost = random() < 0.1
    const call = { caller: 'A', method, input, start }
    history.push(isLost ? { ...call, end: Infinity } : { ...call, answer, end })
  }
  return history
}

/** The same history with another answer or another instant of one call. */
function mutate(history: readonly Operation[], random: () => number): readonly Operation[] {
  const answered = history.filter(({ end }) => end !== Infinity)
  const changed = answered[Math.floor(random() * answered.length)]
  if (!changed) return history
  const others = answered.filter(({ method, answer }) => method === changed.method && answer !== changed.answer)
  const donor = others[Math.floor(random() * others.length)]
  const answer = typeof changed.answer === 'boolean' ? !changed.answer : donor?.answer
  const shift = 6 * random() - 3
  const mutation =
    random() < 0.5 && answer !== undefined ? { answer } : { start: changed.start + shift, end: changed.end + shift }
  return history.map((operation) => (operation === changed ? { ...operation, ...mutation } : operation))
}

/** Whether one of all orders explains the answers. It knows the contract from the memory store alone. */
async function isExplained(history: readonly Operation[], createStore: () => object): Promise<boolean> {
  for (const order of ordersOf(history, [])) {
    const store = createStore()
    let isRight = true
    for (const operation of order) {
      const answer = await callOn(store, operation)
      isRight &&= operation.end === Infinity || JSON.stringify(answer) === JSON.stringify(operation.answer)
    }
    if (isRight) return true
  }
  return false
}

/** Every order in which no call comes before one that had ended, with any of the calls that have no answer. */
function* ordersOf(left: readonly Operation[], order: readonly Operation[]): Generator<readonly Operation[]> {
  if (left.every(({ end }) => end === Infinity)) yield order
  for (const next of left) {
    const others = left.filter((operation) => operation !== next)
    if (others.every(({ end }) => end > next.start)) yield* ordersOf(others, [...order, next])
  }
}

describe.each(contracts)('random histories of $name', (contract) => {
  const { model, createStore } = contract

  test('are linearizable if their calls were made one after the other', async () => {
    const random = createRandom(1)
    for (let round = 0; round < 100; round++) {
      const history = await drawHistory(contract, random, 30)
      expect(isLinearizable(history, model), describeHistory(history)).toBe(true)
    }
  })

  test('are linearizable if and only if one of all orders explains them', async () => {
    const random = createRandom(2)
    const found = { true: 0, false: 0 }
    for (let round = 0; round < 600; round++) {
      const truth = await drawHistory(contract, random, 3 + (round % 4))
      const history = round % 2 ? mutate(truth, random) : mutate(mutate(truth, random), random)
      const isRight = await isExplained(history, createStore)
      expect(isLinearizable(history, model), describeHistory(history)).toBe(isRight)
      found[`${isRight}`] += 1
    }
    expect(Math.min(found.true, found.false)).toBeGreaterThan(40)
  })
})
