import { createAuditLog, exportCheckpoint, verifyAudit } from '@latchkey/audit'
import { createMemoryAuditStore } from '@latchkey/store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFailingStore } from './failing-store.ts'
import { chainsOf, facts, openLog, readDatabase, secrets, start } from './open-log.ts'

describe('an intention', () => {
  test('is listed as unknown until it is known what came of it, and then once with its outcome', async () => {
    const { audit, store } = openLog()
    const intent = await audit.intend(facts)
    expect((await audit.list()).items).toMatchObject([{ ...facts, state: 'unknown' }])
    await intent.done({ accountId: 'acc_2', details: { sessions: 3 } })
    const outcome = { ...facts, accountId: 'acc_2', state: 'done', details: { sessions: 3 } }
    expect((await audit.list()).items).toMatchObject([outcome])
    expect((await audit.list({ accountId: 'acc_1' })).items).toEqual([])
    expect((await store.list({ states: ['intended', 'done'] })).items).toHaveLength(2)
  })

  test('is listed as failed after `failed`, and ignores a later `done`', async () => {
    const { audit, store } = openLog()
    const intent = await audit.intend(facts)
    await intent.failed()
    await intent.done()
    expect((await audit.list()).items).toMatchObject([{ ...facts, state: 'failed' }])
    expect((await store.list({ states: ['done'] })).items).toEqual([])
  })

  test('rejects if it cannot be written, before the effect', async () => {
    const { store, state } = createFailingStore()
    const { audit, events } = openLog({ store })
    state.isDown = true
    await expect(audit.intend(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(audit.record(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect([(await store.list()).items, events]).toEqual([[], []])
  })

  test('stays unknown without an error if its outcome cannot be written, and emits an event', async () => {
    const { store, state } = createFailingStore()
    const { audit, events } = openLog({ store })
    const intents = [await audit.intend(facts), await audit.intend({ ...facts, kind: 'account.deleted' })]
    state.isDown = true
    await intents[0]?.done()
    await intents[1]?.failed()
    const { items } = await audit.list()
    expect(items.map(({ state: shown }) => shown)).toEqual(['unknown', 'unknown'])
    const failure = { type: 'audit.failed', failure: 'STORE_UNAVAILABLE' }
    expect(events).toMatchObject([
      { ...failure, kind: 'password.changed', entry: items[1]?.id },
      { ...failure, kind: 'account.deleted', entry: items[0]?.id },
    ])
  })
})

describe('a listing', () => {
  test('has each decision once, the newest first, with pages of any size', async () => {
    const { audit } = openLog()
    for (let index = 0; index < 12; index++) {
      const intent = await audit.intend({ ...facts, details: { index } })
      if (index % 3 === 0) await intent.done()
      if (index % 3 === 1) await audit.record({ ...facts, details: { index: index + 0.5 } })
    }
    const whole = (await audit.list({ first: 1000 })).items
    expect(whole.map(({ details }) => details.index)).toEqual([
      11, 10.5, 10, 9, 8, 7.5, 7, 6, 5, 4.5, 4, 3, 2, 1.5, 1, 0,
    ])
    for (const first of [1, 2, 5]) {
      const items = []
      let after: string | undefined
      do {
        const page = await audit.list({ first, ...(after !== undefined && { after }) })
        items.push(...page.items)
        after = page.cursor
      } while (after !== undefined)
      expect(items).toEqual(whole)
    }
  })

  test('does not leave out what is decided while its pages are read', async () => {
    const { audit } = openLog()
    const intent = await audit.intend(facts)
    await audit.record({ ...facts, kind: 'a.first' })
    const { items, cursor = '' } = await audit.list({ first: 1 })
    await intent.done()
    const next = await audit.list({ first: 1, after: cursor })
    expect([...items, ...next.items]).toMatchObject([{ kind: 'a.first' }, { kind: facts.kind, state: 'done' }])
  })

  test('does not leave out what was decided before its first page was read, and written after it', async () => {
    const { audit, store, time } = openLog()
    const intent = await audit.intend(facts)
    const other = openLog({ store })
    for (const [kind, at] of [['b.older', 50] as const, ['a.newer', 1000] as const]) {
      other.time.now = start + at
      await other.audit.record({ ...facts, kind })
    }
    const { items, cursor = '' } = await audit.list({ first: 2 })
    time.now = start + 500
    await intent.done()
    const next = await audit.list({ first: 2, after: cursor })
    expect([...items, ...next.items]).toMatchObject([
      { kind: 'a.newer' },
      { kind: 'b.older' },
      { kind: facts.kind, state: 'done' },
    ])
  })

  test('by account or kind has no other decisions and no checkpoints', async () => {
    const { audit } = openLog()
    await audit.record(facts)
    await audit.record({ ...facts, accountId: 'acc_2', kind: 'a.b' })
    expect((await audit.list({ accountId: 'acc_2' })).items).toMatchObject([{ kind: 'a.b' }])
    expect((await audit.list({ kind: facts.kind })).items).toMatchObject([{ accountId: 'acc_1' }])
    expect((await audit.list({ kind: 'audit.checkpoint' })).items).toEqual([])
  })

  test('refuses an invalid page size and an invalid cursor', async () => {
    const { audit } = openLog()
    for (const first of [0, 1.5, 1001, Number.NaN]) {
      await expect(audit.list({ first })).rejects.toThrow(
        new TypeError('"first" must be a whole number from 1 to 1000'),
      )
    }
    for (const after of ['', '1', 'a:b']) {
      await expect(audit.list({ after })).rejects.toThrow(new TypeError('"after" must be the cursor of a page'))
    }
  })

  test('shows null for erased personal data, and all other facts', async () => {
    const { audit } = openLog()
    await (await audit.intend(facts)).done()
    expect(await audit.erasePersonal('acc_1')).toBe(2)
    const nothing = { address: null, userAgent: null, requestId: null }
    expect((await audit.list()).items).toMatchObject([{ ...facts, ...nothing }])
  })

  test('shows what it can of a row that was changed', async () => {
    const store = createMemoryAuditStore()
    const row = { chain: 'a', sequence: 1, at: 1, entry: 'e', state: 'done', kind: 'a.b', accountId: null } as const
    await store.append([{ ...row, value: '', personal: '{' }])
    const nothing = { actorId: null, address: null, userAgent: null, requestId: null }
    const shown = { id: 'e', at: 1, state: 'done', kind: 'a.b', accountId: null, details: {} }
    expect((await openLog({ store }).audit.list()).items).toEqual([{ ...shown, ...nothing }])
  })
})

test('two rows with equal personal data have different digests, so erased data cannot be guessed', async () => {
  const { audit, store } = openLog()
  await audit.record(facts)
  await audit.record(facts)
  const { items } = await store.list({ states: ['done'] })
  const digests = items.map(({ value }) => /"personal":"([\w-]{43})"/.exec(value)?.[1])
  expect(new Set(digests).size).toBe(2)
  const [{ personal, value } = { personal: null, value: '' }] = items
  const { salt = '' } = JSON.parse(personal ?? '{}') as { readonly salt?: string }
  expect(Buffer.from(salt, 'base64url').length).toBeGreaterThanOrEqual(16)
  for (const secret of [salt, '203.0.113.7', 'Firefox', 'req_1']) expect(value).not.toContain(secret)
})

describe('checkpoints', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('are written at most a minute after a row, and never without new rows', async () => {
    const { audit, checkpoints } = openLog()
    await audit.record(facts)
    expect(checkpoints).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(59_999)
    await audit.record(facts)
    expect(checkpoints).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(checkpoints).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(checkpoints).toHaveLength(2)
    await audit.record(facts)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(checkpoints).toHaveLength(3)
  })

  test('are written by a clean close, and not without new rows', async () => {
    const { audit, checkpoints, store } = openLog()
    const record = audit.record(facts)
    await audit.close()
    await record
    expect(checkpoints).toHaveLength(2)
    expect((await chainsOf(store))[0]).toMatchObject({ last: 3 })
    await audit.close()
    const idle = openLog({ store })
    await idle.audit.close()
    expect([checkpoints.length, idle.checkpoints.length, (await chainsOf(store)).length]).toEqual([2, 0, 1])
    await expect(audit.record(facts)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('emit an event if they cannot be written, and are written after the next row', async () => {
    const { store, state } = createFailingStore()
    const { audit, events, checkpoints } = openLog({ store })
    await audit.record(facts)
    state.isDown = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(events).toMatchObject([{ type: 'audit.failed', kind: 'audit.checkpoint', entry: null }])
    state.isDown = false
    await audit.record(facts)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([events.length, checkpoints.length]).toEqual([1, 3])
    expect(await verifyAudit({ store, secrets, checkpoints })).toMatchObject({ ok: true, chains: 2 })
  })

  test('are written by a clean close, or a minute later, after a failure', async () => {
    const { store, state } = createFailingStore()
    const [closed, quiet] = [openLog({ store }), openLog({ store })]
    await closed.audit.record(facts)
    await quiet.audit.record(facts)
    state.isDown = true
    await vi.advanceTimersByTimeAsync(60_000)
    state.isDown = false
    await closed.audit.close()
    // The append that failed has ended the chain, and the next one begins with a checkpoint, too.
    expect([closed.checkpoints.length, quiet.checkpoints.length]).toEqual([3, 1])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([closed.checkpoints.length, quiet.checkpoints.length]).toEqual([3, 3])
    expect([closed.events.length, quiet.events.length]).toEqual([1, 1])
  })

  test('under way are awaited by close', async () => {
    const sound = createMemoryAuditStore()
    const { promise, resolve } = Promise.withResolvers<void>()
    let isSlow = false
    const latestHeads = async (limit: number) => {
      if (isSlow) await promise
      return sound.latestHeads(limit)
    }
    const { audit, checkpoints } = openLog({ store: { ...sound, latestHeads } })
    await audit.record(facts)
    isSlow = true
    await vi.advanceTimersByTimeAsync(60_000)
    const closing = audit.close().then(() => checkpoints.length)
    await vi.advanceTimersByTimeAsync(10)
    resolve()
    expect(await closing).toBe(2)
  })

  test('name chains that have moved, and all that are there at first', async () => {
    const { audit, store } = openLog()
    await audit.record(facts)
    const [chain] = (await chainsOf(store)).map((each) => each.chain)
    const other = openLog({ store })
    await other.audit.record(facts)
    for (const _minute of [1, 2]) {
      await other.audit.record(facts)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    const named = other.checkpoints.map((text) => text.includes(`"heads":[["${chain}"`))
    // The first chain wrote a checkpoint within the first minute, and none in the second one.
    expect(named).toEqual([true, true, false])
  })

  test('name at most the hundred chains that grew last, and exported checkpoints name all chains', async () => {
    const store = createMemoryAuditStore()
    for (let index = 0; index < 501; index++) {
      const { store: own, audit, time } = openLog()
      time.now += 10 * ((index * 7) % 501)
      await audit.record(facts)
      await store.append((await readDatabase(own)).rows)
    }
    const latest = await store.latestHeads(100)
    const last = openLog({ store })
    await last.audit.record(facts)
    const namedIn = (text: string) => [...text.matchAll(/\["([\w-]{22})",\d/g)].map(([, name]) => name)
    expect(last.checkpoints.map(namedIn)).toEqual([latest.map(({ chain }) => chain)])
    const exported = await exportCheckpoint({ store, secrets })
    expect(exported.map((text) => namedIn(text).length)).toEqual([500, 2])
    expect(await verifyAudit({ store, secrets, checkpoints: exported })).toMatchObject({ ok: true, chains: 502 })
  })

  test('are written even if their receiver throws', async () => {
    const { audit, store } = openLog({
      onCheckpoint() {
        throw new Error('the disk is full')
      },
    })
    await audit.record(facts)
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true })
  })
})

test('a clock that is set back puts no row before the one that it follows', async () => {
  const { audit, store, time } = openLog()
  await audit.record(facts)
  time.now -= 10_000
  await audit.record(facts)
  const times = (await store.readChain((await chainsOf(store))[0]?.chain ?? '', { after: 0, limit: 10 })).map(
    ({ at }) => at,
  )
  expect(times).toEqual(times.toSorted((one, two) => one - two))
  expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true })
})

test.each<[string, Partial<Record<keyof Parameters<typeof createAuditLog>[0] | 'colour', unknown>>]>([
  ['createAuditLog has no option "colour"', { colour: 'red' }],
  ['"store" must be an AuditStore', { store: {} }],
  ['"secrets" must be a list', { secrets: [] }],
  ['"checkpointSeconds" must be a whole number', { checkpointSeconds: 0 }],
  ['"deadlineMs" must be a whole number', { deadlineMs: 1.5 }],
  ['"mostWaiting" must be a whole number', { mostWaiting: Number.NaN }],
])('the developer is told that %s', (message, options) => {
  const given = { store: createMemoryAuditStore(), secrets, ...options } as Parameters<typeof createAuditLog>[0]
  expect(() => createAuditLog(given)).toThrow(TypeError)
  expect(() => createAuditLog(given)).toThrow(message)
})
