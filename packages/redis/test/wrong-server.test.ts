import { EventEmitter } from 'node:events'
import { createRedisStores } from '@latchkey/redis'
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

// Time passes only where a test lets it, so that what is said of it holds to the millisecond.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The digest of a script is computed outside of the event loop. */
async function pass(milliseconds: number): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(milliseconds)
}

/** Stores on a server that refuses commands, and the instants at which the connection was dropped. */
function openStores(options: { silenceMs?: number; hasEvents?: boolean } = {}) {
  const { silenceMs, hasEvents = true } = options
  const start = performance.now()
  const events = new EventEmitter()
  const drops: number[] = []
  const server = { refusal: '' }
  const answer = async (): Promise<unknown> => {
    if (server.refusal !== '') throw new Error(server.refusal)
    return ['done', String(Date.now()), null, null, null, null]
  }
  const client = {
    stream: {
      destroy() {
        drops.push(performance.now() - start)
        events.emit('close')
      },
    },
    eval: answer,
    evalsha: answer,
    wait: answer,
    ...(hasEvents && {
      on: (event: string, listener: () => void) => events.on(event, listener),
      off: (event: string, listener: () => void) => events.off(event, listener),
    }),
  }
  const stores = createRedisStores({ client, ...(silenceMs && { silenceMs }) })
  /** Reads once; the server refuses with this text, if any. */
  const ask = async (refusal: string) => {
    server.refusal = refusal
    const asked = stores.records.get('se_1')
    if (refusal === '') expect(await asked).toBeNull()
    else await expect(asked).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
    await pass(0)
  }
  return { stores, events, drops, ask }
}

const readOnly = "READONLY You can't write against a read only replica."
const loading = 'LOADING Redis is loading the dataset in memory'
const tooFew = 'NOREPLICAS Not enough good replicas to write.'

test.each([
  readOnly,
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
])('a refusal with %s drops the connection at once', async (refusal) => {
  const { ask, drops } = openStores()
  await ask(refusal)
  await pass(1)
  expect(drops).toEqual([1])
  await pass(60_000)
  expect(drops).toEqual([1])
  expect(vi.getTimerCount()).toBe(0)
})

test.each([loading, tooFew])('a refusal with %s drops the connection after silenceMs', async (refusal) => {
  const { ask, drops } = openStores({ silenceMs: 700 })
  await ask(refusal)
  await pass(400)
  await ask(refusal)
  await pass(300)
  expect(drops).toEqual([])
  await pass(1)
  expect(drops).toEqual([701])
  await pass(60_000)
  expect(drops).toEqual([701])
})

test.each([
  'OOM command not allowed when used memory > maxmemory.',
  'MISCONF Redis is configured to save RDB snapshots',
  'NOAUTH Authentication required.',
  'ERR READONLY',
  'READONLYISH',
])('a refusal with %s keeps the connection', async (refusal) => {
  const { ask, drops } = openStores()
  await ask(refusal)
  await pass(60_000)
  expect(drops).toEqual([])
})

test('a server that has loaded its data in time keeps its connection', async () => {
  const { ask, drops } = openStores()
  await ask(loading)
  await pass(900)
  await ask('')
  expect(vi.getTimerCount()).toBe(0)
  await pass(60_000)
  expect(drops).toEqual([])
})

test('a server that has loaded its data and is a replica loses its connection at once', async () => {
  const { ask, drops } = openStores()
  await ask(loading)
  await pass(300)
  await ask(readOnly)
  await pass(60_000)
  expect(drops).toEqual([301])
})

test.each([true, false])(
  'the pauses between drops double up to 2 s, until a server serves (client with events: %s)',
  async (hasEvents) => {
    const { ask, drops } = openStores({ hasEvents })
    const askFor = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += 50) {
        await ask(readOnly)
        await pass(50)
      }
    }
    await askFor(8000)
    // At a deadline the event loop makes one turn more, which takes 1 ms here.
    expect(drops).toEqual([1, 502, 1503, 3504, 5505, 7506])
    await pass(10_000)
    expect(drops.slice(6)).toEqual([9507])
    await ask('')
    await askFor(1000)
    expect(drops.slice(7)).toEqual([18_001, 18_502])
  },
)

test('a refusal does not drop the connection after the next reconnect', async () => {
  const { ask, events, drops } = openStores()
  await ask(loading)
  events.emit('close')
  expect(vi.getTimerCount()).toBe(0)
  await pass(60_000)
  expect(drops).toEqual([])
})

test('closed stores drop no connection', async () => {
  const { ask, stores, drops } = openStores()
  await ask(loading)
  await stores.close()
  expect(vi.getTimerCount()).toBe(0)
  await pass(60_000)
  expect(drops).toEqual([])
})

test('a pending drop does not keep the process alive', async () => {
  const handles: NodeJS.Timeout[] = []
  const faked = globalThis.setTimeout
  const seen = (work: () => void, ms: number) => handles[handles.push(faked(work, ms)) - 1]
  // A spy that is restored would leave the time of this file to the files after it.
  Object.assign(globalThis, { setTimeout: seen })
  onTestFinished(() => void Object.assign(globalThis, { setTimeout: faked }))
  const { ask } = openStores()
  await ask(loading)
  expect(handles.at(-1)?.hasRef()).toBe(false)
})
