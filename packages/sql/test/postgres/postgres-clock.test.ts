import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

const minute = 60_000
const machine = 1_800_000_000_000

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A pool whose server is so far ahead of this machine, and takes so long to send its time. */
function createServer() {
  const state = { aheadMs: 0, tripMs: 0, firstTripsMs: [] as number[], comparisons: 0 }
  const sent: Sent[] = []
  const pool: PgPool = {
    connect: async () => ({
      release: () => {},
      async query(asked, values = []) {
        const text = textOf(asked)
        sent.push({ text, values })
        if (text.includes('latchkey_migrations')) return { rows: [{ version: 99, usable_by: 1 }] }
        if (!text.includes('as now')) return { rows: [] }
        state.comparisons++
        // The server reads its clock at the end of the way there, which is all but the whole when a connection is opened.
        const firstTripMs = state.firstTripsMs.shift()
        pass(firstTripMs ?? 0)
        const now = Date.now() + state.aheadMs
        if (firstTripMs === undefined) pass(state.tripMs)
        return { rows: [{ now }] }
      },
    }),
    end: async () => {},
  }
  return { state, sent, pool, ...createPostgresStores({ pool }) }
}

let monotonic = 0
const advanceMonotonic = (milliseconds: number) => {
  monotonic += milliseconds
}
/** Time that passes on both clocks of this machine. */
const pass = (milliseconds: number) => {
  vi.setSystemTime(Date.now() + milliseconds)
  advanceMonotonic(milliseconds)
}

beforeEach(() => {
  monotonic = 5000
  vi.useFakeTimers({ toFake: ['Date'], now: machine })
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe.each([0, 10 * minute, -24 * 60 * minute])('a server that is %d ms ahead', (aheadMs) => {
  test('has the time of the stores from the first answer on', async () => {
    const { state, records } = createServer()
    state.aheadMs = aheadMs
    expect(records.now()).toBe(machine)
    await records.get('se_1')
    expect(records.now()).toBe(machine + aheadMs)
    pass(1234)
    expect(records.now()).toBe(machine + aheadMs + 1234)
  })

  test('has it for a readiness probe, too', async () => {
    const { state, records, check } = createServer()
    state.aheadMs = aheadMs
    await check()
    expect(records.now()).toBe(machine + aheadMs)
  })
})

test.each<[firstTripsMs: number[], comparisons: number, errorMs: number]>([
  [[50], 1, 25],
  [[3000], 2, 0],
  [[3000, 400], 3, 0],
  [[3000, 400, 800], 3, 200],
  [[400, 3000, 800], 3, 200],
  [[3000, 800, 400], 3, 200],
])('a comparison that took long is repeated: %j ms, then at once', async (firstTripsMs, comparisons, errorMs) => {
  const { state, records } = createServer()
  state.firstTripsMs = [...firstTripsMs]
  await records.get('se_1')
  expect([state.comparisons, records.now()]).toEqual([comparisons, Date.now() + errorMs])
  state.tripMs = 60
  await records.get('se_1')
  expect(state.comparisons).toBe(comparisons)
})

test('a second comparison that took as long moves the time only if it contradicts the first', async () => {
  const { state, records } = createServer()
  state.firstTripsMs = [400]
  state.tripMs = 400
  await records.get('se_1')
  expect([state.comparisons, records.now()]).toEqual([3, Date.now()])
})

test('a quick comparison after the first three moves the time only if it contradicts them', async () => {
  const { state, records } = createServer()
  state.firstTripsMs = [3000, 400, 800]
  await records.get('se_1')
  pass(minute + 1)
  state.tripMs = 40
  await records.get('se_1')
  expect([state.comparisons, records.now()]).toEqual([4, Date.now()])
})

test('a change carries an instant by which its answer may still arrive in time', async () => {
  const { state, records, sent } = createServer()
  state.aheadMs = 1000
  // The server reads its clock at the beginning of the trip: so long is the way back.
  state.tripMs = 40
  const record = { key: 'se_1', owner: null, version: 1, value: '{}', expiresAt: machine + minute }
  await records.touch(record, machine + minute)
  const since = Date.now() - 40
  expect(Number(sent.at(-1)?.values.at(-1))).toBe(since + 1000 + 250 - 40)
})

test('a comparison that took longer does not make that instant earlier', async () => {
  const { state, records, sent } = createServer()
  state.aheadMs = 1000
  await records.get('se_1')
  pass(minute + 1)
  state.tripMs = 40
  const start = Date.now()
  await records.touch({ key: 'se_1', owner: null }, machine + 2 * minute)
  expect(Number(sent.at(-1)?.values.at(-1))).toBe(start + 1000 + 250)
})

test('a change after the clock of the server was set back carries an instant of that clock', async () => {
  const { state, records, sent } = createServer()
  await records.get('se_1')
  pass(minute + 1)
  state.aheadMs = -60 * minute
  await records.touch({ key: 'se_1', owner: null }, machine + 2 * minute)
  expect(Number(sent.at(-1)?.values.at(-1))).toBe(Date.now() - 60 * minute + 250)
})

test('the clocks are compared once a minute', async () => {
  const { state, records } = createServer()
  for (const [passed, comparisons] of [
    [0, 1],
    [59_999, 1],
    [2, 2],
    [minute, 2],
    [1, 3],
  ] as const) {
    pass(passed)
    await records.get('se_1')
    expect(state.comparisons).toBe(comparisons)
  }
})

test('a machine that was suspended compares with its next statement: its monotonic clock has stood still', async () => {
  const { state, records } = createServer()
  await records.get('se_1')
  vi.setSystemTime(machine + 60 * minute)
  await records.get('se_1')
  expect([state.comparisons, records.now()]).toEqual([2, machine + 60 * minute])
})

test.each([
  [1000, 1],
  [1001, 2],
  [-1000, 1],
  [-1001, 2],
])('a wall clock that was set by %d ms leads to comparison %d', async (milliseconds, comparisons) => {
  const { state, records } = createServer()
  await records.get('se_1')
  vi.setSystemTime(machine + milliseconds)
  await records.get('se_1')
  expect(state.comparisons).toBe(comparisons)
})

test('a slow comparison moves the time only if it contradicts it, and never back', async () => {
  const { state, records } = createServer()
  state.aheadMs = 100
  await records.get('se_1')
  pass(minute + 1)
  state.tripMs = 400
  await records.get('se_1')
  expect(records.now()).toBe(Date.now() + 100)
  state.tripMs = 0
  state.aheadMs = -200
  pass(minute + 1)
  const before = records.now()
  await records.get('se_1')
  expect(records.now()).toBe(before)
  pass(400)
  expect(records.now()).toBe(Date.now() - 200)
})

test.each([
  [1000, 0],
  [1001, 1001],
])('the time does not go back by %d ms, but by %d', async (behindMs, presentedMs) => {
  const { state, records } = createServer()
  await records.get('se_1')
  pass(minute + 1)
  const before = records.now()
  state.aheadMs = -behindMs
  await records.get('se_1')
  expect(records.now()).toBe(before - presentedMs)
})

test('a server whose clock was set back is followed', async () => {
  const { state, records } = createServer()
  await records.get('se_1')
  expect(records.now()).toBe(machine)
  state.aheadMs = -60 * minute
  pass(minute + 1)
  await records.get('se_1')
  expect(records.now()).toBe(Date.now() - 60 * minute)
})

test('the server decides expiry by its own clock: no time is sent with a statement', async () => {
  const { records, counters, sent } = createServer()
  const record = { key: 'se_1', owner: 'acc_1', version: 1, value: '{}', expiresAt: machine + minute }
  await records.get(record.key)
  await records.replace(record, record)
  await records.touch(record, machine + minute)
  await records.listByOwner(record.owner)
  await records.sweep(10)
  await records.insert(record)
  await counters.hit('address', minute).catch(() => null)
  const judging = sent.filter(({ text }) => text.includes('statement_timestamp()'))
  expect(judging).toHaveLength(7)
  for (const { text, values } of judging) {
    const used = new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
    expect([...used].sort()).toEqual(values.map((_value, index) => index + 1))
  }
})

test('more than nine parameters have numbers of their own', async () => {
  const { audit, sent } = createServer()
  const row = { chain: 'a', at: machine, state: 'done', kind: 'session.created', accountId: 'acc_1' } as const
  const rows = [1, 2].map((sequence) => ({ ...row, sequence, entry: `entry_${sequence}`, value: '', personal: null }))
  await audit.append(rows)
  const { text = '', values = [] } = sent.at(-1) ?? {}
  expect(values.length).toBeGreaterThan(10)
  expect([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))).toEqual(
    values.map((_value, index) => index + 1),
  )
})

test('a given clock replaces the clock of the server', async () => {
  const { pool, sent } = createServer()
  const { records } = createPostgresStores({ pool, now: () => 1_700_000_000_000.5 })
  await records.get('se_1')
  expect(records.now()).toBe(1_700_000_000_000)
  expect(sent.at(-1)?.values).toEqual(['se_1', 1_700_000_000_000])
})
