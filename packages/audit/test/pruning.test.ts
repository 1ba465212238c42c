import { pruneAudit, verifyAudit } from '@latchkey/audit'
import type { AuditStore } from '@latchkey/store'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { chainsOf, facts, openLog, readDatabase, secrets, start } from './open-log.ts'
import { remove, verify, writeTwoChains } from './two-chains.ts'

describe('pruning', () => {
  test('removes the rows before the last checkpoint of that time without a finding', async () => {
    const { audit, store, time, checkpoints } = openLog()
    await audit.record(facts)
    const later = openLog({ store })
    later.time.now = start + 5000
    await later.audit.record(facts)
    await later.audit.close()
    const living = openLog({ store })
    living.time.now = start + 10_000
    await living.audit.record(facts)
    const before = start + 9000
    expect(await pruneAudit({ store, secrets, before, now: () => start + 20_000 })).toEqual({ rows: 5, chains: 2 })
    expect(await verifyAudit({ store, secrets, checkpoints: [...checkpoints, ...later.checkpoints] })).toMatchObject({
      ok: true,
      chains: 2,
      prunedBefore: before,
    })
    // A process that had written nothing for so long goes on with its chain.
    time.now = start + 20_000
    await audit.record(facts)
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, chains: 3 })
    expect(await pruneAudit({ store, secrets, before, now: () => start + 20_000 })).toEqual({ rows: 0, chains: 0 })
  })

  test('stops at a checkpoint in a chain that is still written', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { audit, store, time } = openLog()
    await audit.record(facts)
    await vi.advanceTimersByTimeAsync(60_000)
    await audit.record(facts)
    time.now = start + 5000
    await audit.record(facts)
    const before = start + 5000
    // The row after the checkpoint is as old, and stays with it.
    expect(await pruneAudit({ store, secrets, before, now: () => start + 20_000 })).toEqual({ rows: 2, chains: 0 })
    const [first] = await chainsOf(store)
    expect(first).toMatchObject({ first: 3, last: 5, head: { sequence: 5 } })
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, prunedBefore: before })
    const database = await readDatabase(store)
    remove(database, first?.chain ?? '', (sequence) => sequence < 5)
    expect((await verify(database)).findings).toMatchObject([])
    remove(database, first?.chain ?? '', () => true)
    expect((await verify(database)).findings).toMatchObject([{ code: 'chain.emptied' }])
  })

  test('by others, without saying so or later than said, is named', async () => {
    const { store, chain } = await writeTwoChains()
    const old = openLog({ store })
    old.time.now = start - 10_000
    await old.audit.record(facts)
    const before = start - 5000
    expect(await pruneAudit({ store, secrets, before, now: () => start + 20_000 })).toEqual({ rows: 2, chains: 1 })
    const pruned = await readDatabase(store)
    expect(await verify(pruned)).toMatchObject({ ok: true, chains: 3, prunedBefore: before })
    remove(pruned, chain, (sequence) => sequence < 5)
    expect((await verify(pruned)).findings).toEqual([{ code: 'row.removed', chain, from: 1, through: 4 }])
    remove(pruned, chain, () => true)
    expect((await verify(pruned)).findings).toMatchObject([{ code: 'chain.emptied', chain }])
  })

  test('continues with the next call after it was stopped', async () => {
    const { audit, store } = openLog()
    await Promise.all(Array.from({ length: 1200 }, () => audit.record(facts)))
    await audit.close()
    const stopping = new AbortController()
    const slow: AuditStore = {
      ...store,
      async prune(...range) {
        stopping.abort()
        return store.prune(...range)
      },
    }
    const options = { secrets, before: start + 50_000, now: () => start + 50_000 }
    const { signal } = stopping
    expect(await pruneAudit({ ...options, store: slow, signal })).toEqual({ rows: 500, chains: 0 })
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, rows: 703, chains: 2 })
    expect(await pruneAudit({ ...options, store, signal })).toEqual({ rows: 0, chains: 0 })
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, rows: 703, chains: 2 })
    expect(await pruneAudit({ ...options, store })).toEqual({ rows: 702, chains: 1 })
  })

  test('is never of the future', async () => {
    const { store } = await writeTwoChains()
    const now = () => start + 20_000
    for (const before of [now() + 1, -1, Number.NaN]) {
      await expect(pruneAudit({ store, secrets, before, now })).rejects.toThrow(
        new TypeError('"before" must be a time in the past, in epoch milliseconds'),
      )
    }
  })
})

test('pruning during a verification causes no finding', async () => {
  const { store } = await writeTwoChains()
  let isPruned = false
  const pruning: AuditStore = {
    ...store,
    async readChain(...range) {
      if (!isPruned) await pruneAudit({ store, secrets, before: start + 50, now: () => start + 20_000 })
      isPruned = true
      return store.readChain(...range)
    },
  }
  expect(await verifyAudit({ store: pruning, secrets })).toMatchObject({ ok: true, prunedBefore: start + 50 })
  expect(isPruned).toBe(true)
})

test('pruning during a verification and during its repetition causes no finding', async () => {
  const { store, chain, other } = await writeTwoChains()
  const before = start + 5000
  const kept = { ...store, prune: async () => 0 }
  const steps = [
    () => pruneAudit({ store: kept, secrets, before, now: () => start + 20_000 }),
    () => store.prune(chain, 6),
    () => store.prune(other, 6),
  ]
  const pruning: AuditStore = {
    ...store,
    async listChains(query) {
      const chains = await store.listChains(query)
      await steps.shift()?.()
      return chains
    },
  }
  await pruning.listChains({ after: null, limit: 1 })
  expect(await verifyAudit({ store: pruning, secrets })).toMatchObject({ ok: true, chains: 1, prunedBefore: before })
})
