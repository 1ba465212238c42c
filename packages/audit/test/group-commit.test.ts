import { verifyAudit } from '@latchkey/audit'
import { pause } from '@latchkey/core/internal'
import { type AuditStore, createMemoryAuditStore, type StoredAuditRow, StoreError } from '@latchkey/store'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFailingStore } from './failing-store.ts'
import { chainsOf, facts, openLog, readDatabase, secrets, storeOf } from './open-log.ts'

/** A store whose appends wait until they are let through, or fail. */
function createGatedStore() {
  const sound = createMemoryAuditStore()
  const appends: { readonly rows: readonly StoredAuditRow[]; readonly end: (how: () => Promise<boolean>) => void }[] =
    []
  const store: AuditStore = {
    ...sound,
    append(rows) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      appends.push({ rows, end: (how) => resolve(how()) })
      return promise
    },
  }
  const untilAppends = async (count: number) => {
    while (appends.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  const pass = async (index: number) => {
    await untilAppends(index + 1)
    appends[index]?.end(() => sound.append(appends[index]?.rows ?? []))
  }
  return { sound, store, appends, pass, untilAppends }
}

const outage = () => new StoreError('STORE_UNAVAILABLE', 'no answer')

describe('appends', () => {
  test('run one at a time, and rows that arrive meanwhile are appended together, in order', async () => {
    const { store, sound, appends, pass } = createGatedStore()
    const { audit } = openLog({ store })
    const kinds = Array.from({ length: 9 }, (_none, index) => `kind.${index}`)
    const records = Promise.all(kinds.map((kind) => audit.record({ ...facts, kind })))
    for (const index of [0, 1]) await pass(index)
    await records
    expect(appends.map(({ rows }) => rows.map(({ kind }) => kind))).toEqual([
      ['audit.checkpoint', 'kind.0'],
      kinds.slice(1),
    ])
    expect(await verifyAudit({ store: sound, secrets })).toMatchObject({ ok: true, chains: 1, rows: 10 })
  })

  test('have few sizes, so that a store can prepare its statements', async () => {
    const { audit, store } = openLog()
    const sizes: number[] = []
    const counting = openLog({
      store: {
        ...store,
        append(rows) {
          sizes.push(rows.length)
          return store.append(rows)
        },
      },
    })
    await audit.record(facts)
    await Promise.all(Array.from({ length: 400 }, () => counting.audit.record(facts)))
    expect(sizes.slice(1)).toEqual([128, 128, 128, 8, 4, 2, 1])
  })

  test('of more rows than may wait are refused, and the waiting rows are written', async () => {
    const { store, pass, sound } = createGatedStore()
    const { audit } = openLog({ store, mostWaiting: 2 })
    const records = Promise.allSettled(Array.from({ length: 4 }, () => audit.record(facts)))
    for (const index of [0, 1]) await pass(index)
    const results = await records
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    const reason = { code: 'STORE_UNAVAILABLE', message: 'too many rows of the audit log wait' }
    expect(results[3]).toMatchObject({ reason })
    expect((await sound.list({ states: ['done'] })).items).toHaveLength(3)
  })

  test('that fail refuse the rows that wait, and the next row is written', async () => {
    const { store, sound, appends, pass, untilAppends } = createGatedStore()
    const { audit } = openLog({ store })
    const results = Promise.allSettled(Array.from({ length: 8 }, () => audit.record(facts)))
    await untilAppends(1)
    appends[0]?.end(() => Promise.reject(outage()))
    expect(await results).toMatchObject(
      Array(8).fill({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE', message: 'no answer' } }),
    )
    expect(appends).toHaveLength(1)
    const next = audit.record({ ...facts, kind: 'comes.next' })
    await pass(1)
    await next
    expect((await sound.list({ states: ['done'] })).items).toMatchObject([{ kind: 'comes.next' }])
  })

  test('are refused after their deadline, and so are rows that have waited too long for them', async () => {
    const { store, appends } = createGatedStore()
    const slow: AuditStore = {
      ...store,
      async latestHeads(limit) {
        await pause(30)
        return store.latestHeads(limit)
      },
    }
    const { audit } = openLog({ store: slow, deadlineMs: 50 })
    const results = await Promise.allSettled([audit.record(facts), audit.record(facts)])
    expect(results).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })))
    expect(appends).toHaveLength(1)
  })
})

test('a chain that moved is named by the next checkpoint when the one that was to name it was refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { store, sound, appends, pass, untilAppends } = createGatedStore()
  const { audit, events } = openLog({ store, deadlineMs: 100_000, mostWaiting: 1 })
  const first = audit.record(facts)
  await pass(0)
  await first
  const other = openLog({ store: sound })
  await other.audit.record(facts)
  await other.audit.close()
  const records = [audit.record(facts), audit.record(facts)]
  await untilAppends(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toMatchObject([{ type: 'audit.failed', kind: 'audit.checkpoint' }])
  for (const index of [1, 2]) await pass(index)
  await Promise.all(records)
  await vi.advanceTimersByTimeAsync(60_000)
  await pass(3)
  const [moved] = await chainsOf(sound)
  const checkpoint = appends[3]?.rows.map(({ state, value }) => [
    state,
    /"heads":\[\["([\w-]{22})",3,/.exec(value)?.[1],
  ])
  expect(checkpoint).toEqual([['checkpoint', moved?.chain]])
})

test('a checkpoint that is due while an append is under way names the chains that have moved', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { store, sound, appends, pass, untilAppends } = createGatedStore()
  const { audit } = openLog({ store, deadlineMs: 100_000 })
  const first = audit.record(facts)
  await pass(0)
  await first
  await openLog({ store: sound }).audit.record(facts)
  const second = audit.record(facts)
  await untilAppends(2)
  await vi.advanceTimersByTimeAsync(60_000)
  await pass(1)
  await second
  await pass(2)
  const [moved] = await chainsOf(sound)
  const checkpoint = appends[2]?.rows.map(({ state, value }) => [
    state,
    /"heads":\[\["([\w-]{22})",2,/.exec(value)?.[1],
  ])
  expect(checkpoint).toEqual([['checkpoint', moved?.chain]])
})

describe('an append whose outcome is not known', () => {
  test('closes the chain, and the next chain names it, so that its missing rows are not a cut', async () => {
    const { store, sound, appends, pass, untilAppends } = createGatedStore()
    const { audit } = openLog({ store })
    const first = audit.record(facts)
    await pass(0)
    await first
    const lost = audit.record({ ...facts, kind: 'is.lost' })
    await untilAppends(2)
    appends[1]?.end(() => Promise.reject(outage()))
    await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const next = audit.record({ ...facts, kind: 'comes.next' })
    await pass(2)
    await next
    const [before, after] = await chainsOf(sound)
    expect([before, after]).toMatchObject([
      { first: 1, last: 2 },
      { first: 1, last: 2 },
    ])
    const [opening] = appends[2]?.rows ?? []
    expect(opening?.value).toContain(`"follows":["${before?.chain}",2,`)
    expect(await verifyAudit({ store: sound, secrets })).toMatchObject({ ok: true, chains: 2 })
    // What had been acknowledged there is missed all the same, also without its head.
    const database = await readDatabase(sound)
    const kept = ({ chain, sequence }: { readonly chain: string; readonly sequence: number }) =>
      chain !== before?.chain || sequence < 2
    const [head] = database.rows
    const heads = database.heads.map((each) =>
      each.chain === head?.chain ? { ...each, sequence: 1, value: head.value } : each,
    )
    const cut = storeOf({ rows: database.rows.filter(kept), heads })
    expect((await verifyAudit({ store: cut, secrets })).findings).toMatchObject([
      { code: 'chain.cut', chain: before?.chain, from: 2 },
    ])
  })

  test('is preceded by acknowledged rows that the next chain names, even if they were removed with their head', async () => {
    const { store, state } = createFailingStore()
    const { audit } = openLog({ store })
    await audit.record(facts)
    state.isDown = true
    await expect(audit.record(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    state.isDown = false
    const [before] = await chainsOf(store)
    await store.prune(before?.chain ?? '', 100)
    await audit.record(facts)
    const { findings } = await verifyAudit({ store, secrets })
    expect(findings).toMatchObject([{ code: 'chain.missing', chain: before?.chain }])
  })

  test('may have been written, and its decision is then listed as unknown', async () => {
    const { store, sound, appends, untilAppends } = createGatedStore()
    const { audit } = openLog({ store })
    const lost = audit.intend(facts)
    await untilAppends(1)
    appends[0]?.end(async () => {
      await sound.append(appends[0]?.rows ?? [])
      throw outage()
    })
    await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await verifyAudit({ store: sound, secrets })).toMatchObject({ ok: true, unknown: 1 })
    expect((await audit.list()).items).toMatchObject([{ state: 'unknown' }])
  })

  test('includes an append to a place with another row: the row is not overwritten, and the next row starts a chain', async () => {
    const { audit, store } = openLog()
    await audit.record(facts)
    const { rows } = await readDatabase(store)
    const last = rows.at(-1)
    if (!last) throw new Error('there are rows')
    await store.append([{ ...last, sequence: 3 }])
    await expect(audit.record(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await audit.record(facts)
    const { findings, chains } = await verifyAudit({ store, secrets })
    expect([chains, findings]).toMatchObject([2, [{ code: 'row.moved', chain: last.chain, from: 3 }]])
  })
})
