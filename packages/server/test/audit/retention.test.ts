import { createAuditLog, verifyAudit } from '@latchkey/audit'
import { deriveSecrets } from '@latchkey/bytes'
import { type AuditStore, createMemoryAuditStore, StoreError } from '@latchkey/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'

const hourMs = 3_600_000
const facts = { kind: 'a.b', accountId: null, actorId: null, address: null, userAgent: null, requestId: null }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An open service, and two processes that have ended so many days before. */
async function createRetainingBench(days: number, prune?: (pruned: () => Promise<number>) => Promise<number>) {
  const bench = createBench()
  const stored = createMemoryAuditStore()
  const secrets = deriveSecrets(bench.secrets, 'audit')
  for (const _process of [1, 2]) {
    const log = createAuditLog({ store: stored, secrets, now: () => bench.clock.time - days * 24 * hourMs })
    await log.record(facts)
    await log.close()
  }
  const pruning: AuditStore['prune'] = (...range) => prune?.(() => stored.prune(...range)) ?? stored.prune(...range)
  const audit = { ...stored, prune: pruning }
  const { server, clock } = createBench({ beside: { ...bench, stores: { ...bench.stores, audit } } })
  await server.open()
  const countChains = async () => (await stored.listChains({ after: null, limit: 100 })).length
  const verify = () => verifyAudit({ store: stored, secrets })
  return { server, clock, countChains, verify }
}

test('rows older than the retention are removed after an hour, then daily, and verification still passes', async () => {
  const { server, clock, countChains, verify } = await createRetainingBench(399.5)
  await vi.advanceTimersByTimeAsync(hourMs)
  expect(await countChains()).toBe(2)
  clock.time += 23 * hourMs
  await vi.advanceTimersByTimeAsync(hourMs)
  expect(await countChains()).toBe(2)
  clock.time += hourMs
  await vi.advanceTimersByTimeAsync(hourMs)
  // Of the two nothing is left, and a third one says so.
  await vi.waitFor(async () => expect(await countChains()).toBe(1))
  expect(await verify()).toMatchObject({ ok: true, prunedBefore: clock.time - 400 * 24 * hourMs })
  await server.close()
})

test('a failed removal is retried an hour later', async () => {
  let failures = 1
  const { server, countChains, verify } = await createRetainingBench(401, async (pruned) => {
    if (failures-- > 0) throw new StoreError('STORE_UNAVAILABLE', 'no answer')
    return pruned()
  })
  await vi.advanceTimersByTimeAsync(hourMs)
  await vi.waitFor(async () => expect([failures, await countChains()]).toEqual([0, 3]))
  await vi.advanceTimersByTimeAsync(hourMs)
  await vi.waitFor(async () => expect(await verify()).toMatchObject({ ok: true, rows: 2 }))
  await server.close()
})

test('a close waits for the pending step of a removal, but not for further steps', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let steps = 0
  const { server, countChains, verify } = await createRetainingBench(401, async (pruned) => {
    steps++
    await promise
    return pruned()
  })
  await vi.advanceTimersByTimeAsync(hourMs)
  await vi.waitFor(() => expect(steps).toBe(1))
  const closing = server.close()
  await new Promise((done) => setImmediate(done))
  resolve()
  await closing
  expect([steps, await countChains()]).toEqual([1, 2])
  expect(await verify()).toMatchObject({ ok: true })
})
