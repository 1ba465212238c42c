import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { StoreError } from '@latchkey/store'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'

const down = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', '10.0.0.7 refused'))

async function probe(options: NonNullable<Parameters<typeof createBench>[0]>['options']) {
  const bench = createBench({ options: options ?? {} })
  const { status, headers, text } = await bench.visitor().get('/readyz')
  const failures = bench.events.filter(({ type }) => type === 'service.failed')
  return { status, retryAfter: headers.get('retry-after'), body: JSON.parse(text), failures }
}

describe('GET /readyz', () => {
  test('reports the stores, and the result of "observe.readiness"', async () => {
    expect((await probe({})).body).toEqual({ status: 'ok', stores: 'ok' })
    const { status, body } = await probe({ observe: { readiness: async () => {} } })
    expect([status, body]).toEqual([200, { status: 'ok', stores: 'ok', application: 'ok' }])
  })

  test('is 503 while what the application needs does not answer, and reports the reason to the operator alone', async () => {
    const { status, retryAfter, body, failures } = await probe({ observe: { readiness: down } })
    expect([status, retryAfter]).toEqual([503, '5'])
    expect(body).toEqual({ status: 'unavailable', stores: 'ok', application: 'unavailable' })
    expect(failures).toMatchObject([{ during: 'readiness', cause: { code: 'STORE_UNAVAILABLE' } }])
  })

  test('is 503 when "check" throws at once, or does not answer within 2 s', async () => {
    const throwing = () => {
      throw new Error('no')
    }
    expect((await probe({ observe: { readiness: throwing } })).status).toBe(503)
    const elapsed = startStopwatch(2000)
    expect((await probe({ observe: { readiness: () => new Promise(() => {}) } })).status).toBe(503)
    expectWithin(2500, 'a check that hangs: /readyz is answered after', elapsed())
  })

  test('names the stores when both are down', async () => {
    let isDown = false
    const stores = { ...createMemoryStores(), check: () => (isDown ? down() : Promise.resolve()) }
    const bench = createBench({ options: { stores, observe: { readiness: down } } })
    await bench.server.open()
    isDown = true
    const { status, text } = await bench.visitor().get('/readyz')
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', stores: 'unavailable' }])
  })

  test('does not keep requests from being answered', async () => {
    const bench = createBench({ options: { observe: { readiness: down } } })
    expect((await bench.visitor().ask('{ hello }')).status).toBe(200)
  })
})

describe('probes that come together', () => {
  function createCounted() {
    const state = { looks: 0, isDown: false, answers: Promise.resolve() }
    const check = async (): Promise<void> => {
      state.looks++
      await state.answers
      if (state.isDown) await down()
    }
    const bench = createBench({ options: { stores: { ...createMemoryStores(), check } } })
    const statuses = async (many: number): Promise<ReadonlySet<number>> => {
      const responses = Array.from({ length: many }, () => bench.visitor().get('/readyz'))
      return new Set((await Promise.all(responses)).map(({ status }) => status))
    }
    return { state, bench, statuses }
  }

  test('check the stores once, while the check is pending and for 250 ms after its start', async () => {
    const { state, bench, statuses } = createCounted()
    await bench.server.open()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { looks } = state
    const pending = Promise.withResolvers<void>()
    state.answers = pending.promise
    const first = statuses(20)
    vi.advanceTimersByTime(1_000)
    const later = statuses(20)
    // One of them begins in each turn of the event loop.
    for (let turn = 0; turn < 50; turn++) await turnOfLoop()
    pending.resolve()
    expect([await first, await later, state.looks]).toEqual([new Set([200]), new Set([200]), looks + 1])
    await statuses(1)
    vi.advanceTimersByTime(249)
    await statuses(20)
    expect(state.looks).toBe(looks + 2)
    vi.advanceTimersByTime(1)
    await statuses(20)
    expect(state.looks).toBe(looks + 3)
  })

  test('see stores that fail, and that answer again, after 250 ms, and report each failure once', async () => {
    const { state, bench, statuses } = createCounted()
    await bench.server.open()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await statuses(1)).toEqual(new Set([200]))
    state.isDown = true
    vi.advanceTimersByTime(250)
    expect(await statuses(20)).toEqual(new Set([503]))
    expect(bench.events.filter(({ type }) => type === 'service.failed')).toHaveLength(1)
    state.isDown = false
    vi.advanceTimersByTime(250)
    expect(await statuses(20)).toEqual(new Set([200]))
  })

  test('start another check after 5 s, as on Workers if the request of a check was cancelled', async () => {
    const { state, bench, statuses } = createCounted()
    await bench.server.open()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const lost = Promise.withResolvers<void>()
    state.answers = lost.promise
    const first = statuses(1)
    vi.advanceTimersByTime(5_000)
    state.answers = Promise.resolve()
    expect(await statuses(1)).toEqual(new Set([200]))
    lost.resolve()
    expect(await first).toEqual(new Set([200]))
  })

  test('are 503 at once when the service closes, after any earlier result', async () => {
    const { bench, statuses } = createCounted()
    expect(await statuses(1)).toEqual(new Set([200]))
    await bench.server.close()
    expect(await statuses(20)).toEqual(new Set([503]))
  })
})

test('"observe.readiness" must be a function', () => {
  expect(() => createBench({ options: { observe: { readiness: true as never } } })).toThrow(
    new TypeError('"observe.readiness" must be a function'),
  )
})
