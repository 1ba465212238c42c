import type { ServerStores } from '@latchkey/server'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Bench, createBench, createMemoryStores } from '../support/bench.ts'

const machine = 1_800_000_000_000
const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: machine })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A service whose store has a clock that is ahead of this process's. */
function createSkewed(aheadMs: () => number): Bench {
  return createBench({ beside: { ...createBench(), stores: createSkewedStores(aheadMs) } })
}

/** Such as those of a database, which has a clock of its own. */
function createSkewedStores(aheadMs: () => number): ServerStores {
  const { records, ...stores } = createMemoryStores(() => Date.now() + aheadMs())
  const { clock: _given, ...capabilities } = records.capabilities
  return { ...stores, records: { ...records, capabilities } }
}

const skews = ({ events }: Bench) => events.filter(({ type }) => type === 'clock.skewed')
const ready = async (bench: Bench) => JSON.parse((await bench.visitor().get('/readyz')).text)
const ok = { status: 'ok', stores: 'ok' }

describe.each([10 * minute, -10 * minute])('a service whose store is %d ms ahead of it', (aheadMs) => {
  test('goes by the clock of the store: tokens, sessions and events', async () => {
    const bench = createSkewed(() => aheadMs)
    const visitor = await bench.signedIn('READER', 'TOKEN')
    const [, claims = ''] = String(visitor.bearer).split('.')
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    expect(iat).toBe((machine + aheadMs) / 1000)
    const [listed] = await (await bench.server.accounts()).listSessions(visitor.account.id)
    expect(listed?.createdAt).toBe(machine + aheadMs)
    expect(new Set(bench.events.map(({ at }) => at))).toEqual(new Set([machine + aheadMs]))
    expect((await visitor.ask('{ viewer { id } }')).status).toBe(200)
  })

  test('reports that in one event and at /readyz, and is ready', async () => {
    const bench = createSkewed(() => aheadMs)
    await bench.server.open()
    expect(await ready(bench)).toEqual({ ...ok, clockSkewSeconds: -aheadMs / 1000 })
    expect((await bench.visitor().get('/readyz')).status).toBe(200)
    await vi.advanceTimersByTimeAsync(5 * minute)
    expect(skews(bench)).toMatchObject([{ type: 'clock.skewed', at: machine + aheadMs, skewMs: -aheadMs }])
    await bench.server.close()
  })
})

test('a difference of 2 s is tolerated, and a larger difference is reported within a minute each time', async () => {
  let aheadMs = 2000
  const bench = createSkewed(() => aheadMs)
  await bench.server.open()
  expect([skews(bench), await ready(bench)]).toEqual([[], ok])
  for (const [at, said] of [
    [2001, 1],
    [0, 1],
    [-2001, 2],
  ] as const) {
    aheadMs = at
    await vi.advanceTimersByTimeAsync(minute)
    expect(skews(bench)).toHaveLength(said)
  }
  await bench.server.close()
  aheadMs = 0
  await vi.advanceTimersByTimeAsync(minute)
  aheadMs = 3000
  await vi.advanceTimersByTimeAsync(minute)
  expect(skews(bench)).toHaveLength(2)
})

test('without a listener it is printed', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const stores = createSkewedStores(() => minute)
  const { server } = createBench({ options: { stores, observe: { onEvent: undefined } } as never })
  await server.open()
  await server.close()
  expect(printed.mock.calls).toEqual([[expect.stringContaining('"type":"clock.skewed"')]])
  printed.mockRestore()
})

test("the clock of the stores is used instead of the machine's clock", async () => {
  const stores = createMemoryStores(() => machine + 60 * minute)
  const bench = createBench({ options: { stores } })
  await bench.server.open()
  expect([skews(bench), await ready(bench)]).toEqual([[], ok])
  await bench.server.close()
})
