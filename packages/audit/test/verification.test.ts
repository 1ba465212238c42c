import { describeFinding, exportCheckpoint, pruneAudit, verifyAudit } from '@latchkey/audit'
import type { StoredAuditRow } from '@latchkey/store'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { chainsOf, type Database, facts, openLog, readDatabase, secrets, start, storeOf } from './open-log.ts'

/** A checkpoint, three rows of decisions, a checkpoint, and another chain with the same. */
async function writeTwoChains() {
  const first = openLog()
  for (const accountId of ['acc_1', 'acc_2', 'acc_3']) await first.audit.record({ ...facts, accountId })
  await first.audit.close()
  const second = openLog({ store: first.store })
  second.time.now = start + 100
  for (const accountId of ['acc_4', 'acc_5', 'acc_6']) await second.audit.record({ ...facts, accountId })
  await second.audit.close()
  const database = await readDatabase(first.store)
  const [chain = '', other = ''] = new Set(database.rows.map((row) => row.chain))
  return { store: first.store, database, chain, other, checkpoints: [...first.checkpoints, ...second.checkpoints] }
}

const verify = (database: Database, checkpoints?: readonly string[]) =>
  verifyAudit({ store: storeOf(database), secrets, ...(checkpoints && { checkpoints }) })

function change(database: Database, chain: string, sequence: number, fields: Partial<StoredAuditRow>): void {
  database.rows = database.rows.map((row) =>
    row.chain === chain && row.sequence === sequence ? { ...row, ...fields } : row,
  )
}

const remove = (database: Database, chain: string, isRemoved: (sequence: number) => boolean): void => {
  database.rows = database.rows.filter((row) => row.chain !== chain || !isRemoved(row.sequence))
}

function at(database: Database, chain: string, sequence: number): StoredAuditRow {
  const found = database.rows.find((row) => row.chain === chain && row.sequence === sequence)
  if (!found) throw new Error('there is no such row')
  return found
}

test('a log as it was written has no findings, with and without its checkpoints', async () => {
  const { store, checkpoints } = await writeTwoChains()
  const sound = { ok: true, chains: 2, rows: 10, unknown: 0, erased: 0, prunedBefore: null, findings: [], found: 0 }
  expect(await verifyAudit({ store, secrets })).toEqual(sound)
  expect(checkpoints).toHaveLength(4)
  const exported = await exportCheckpoint({ store, secrets, now: () => start })
  expect(await verifyAudit({ store, secrets, checkpoints: [...checkpoints, ...exported] })).toEqual(sound)
})

describe('a verification names', () => {
  test('a row that was removed, wherever it stood', async () => {
    for (const sequence of [1, 2, 3, 4]) {
      const { database, chain } = await writeTwoChains()
      remove(database, chain, (place) => place === sequence)
      const { findings } = await verify(database)
      expect(findings).toEqual([{ code: 'row.removed', chain, from: sequence, through: sequence }])
    }
  })

  test('a row that was changed, whatever was changed of it', async () => {
    const changes: Partial<StoredAuditRow>[] = [
      { at: start },
      { entry: 'another' },
      { state: 'failed' },
      { kind: 'session.created' },
      { accountId: null },
      { value: '' },
      { value: 'k1.AA.{}' },
    ]
    for (const fields of changes) {
      const { database, chain } = await writeTwoChains()
      change(database, chain, 3, fields)
      expect((await verify(database)).findings).toEqual([{ code: 'row.changed', chain, from: 3, through: 3 }])
    }
  })

  test('a row whose details were changed where it says them', async () => {
    const { database, chain } = await writeTwoChains()
    change(database, chain, 3, { value: at(database, chain, 3).value.replace('graphql', 'grapfql') })
    expect((await verify(database)).findings).toEqual([{ code: 'row.changed', chain, from: 3, through: 3 }])
  })

  test('rows that were exchanged', async () => {
    const { database, chain } = await writeTwoChains()
    const [one, two] = [at(database, chain, 2), at(database, chain, 3)]
    change(database, chain, 2, { ...two, sequence: 2 })
    database.rows = database.rows.map((row) => (row === two ? { ...one, sequence: 3 } : row))
    const moved = [2, 3].map((from) => ({ code: 'row.moved', chain, from, through: from }))
    expect((await verify(database)).findings).toEqual(moved)
  })

  test('a row of another chain that was put in the place of one', async () => {
    const { database, chain, other } = await writeTwoChains()
    change(database, chain, 3, { ...at(database, other, 3), chain })
    expect((await verify(database)).findings).toEqual([{ code: 'row.moved', chain, from: 3, through: 3 }])
  })

  test('a tail that was cut, by the head', async () => {
    const { database, other } = await writeTwoChains()
    remove(database, other, (sequence) => sequence > 2)
    expect((await verify(database)).findings).toEqual([{ code: 'chain.cut', chain: other, from: 3, through: 5 }])
  })

  test('a tail that was cut with its head, by the checkpoint of another process', async () => {
    const { database, chain } = await writeTwoChains()
    remove(database, chain, (sequence) => sequence > 2)
    const { value } = at(database, chain, 2)
    database.heads = database.heads.map((head) => (head.chain === chain ? { chain, sequence: 2, value } : head))
    expect((await verify(database)).findings).toEqual([{ code: 'chain.cut', chain, from: 3, through: 5 }])
  })

  test('the tail of the last process that was cut with its head, by a checkpoint that was kept elsewhere', async () => {
    const { database, other, checkpoints } = await writeTwoChains()
    remove(database, other, (sequence) => sequence > 2)
    const { value } = at(database, other, 2)
    database.heads = database.heads.map((head) => (head.chain === other ? { chain: other, sequence: 2, value } : head))
    expect((await verify(database)).findings).toEqual([])
    const { findings } = await verify(database, checkpoints)
    expect(findings).toEqual([{ code: 'chain.cut', chain: other, from: 3, through: 5 }])
  })

  test('a table that was emptied, by its heads, and by checkpoints where these are gone as well', async () => {
    const { database, chain, other, checkpoints } = await writeTwoChains()
    database.rows = []
    const emptied = [chain, other].map((name) => ({ code: 'chain.emptied', chain: name, from: null, through: null }))
    expect((await verify(database)).findings).toEqual(emptied)
    database.heads = []
    expect((await verify(database)).ok).toBe(true)
    const missing = [chain, other].map((name) => ({ code: 'chain.missing', chain: name, from: null, through: null }))
    expect((await verify(database, checkpoints)).findings).toEqual(missing)
  })

  test('a chain that was removed with its head, by the checkpoint of another process', async () => {
    const { database, chain } = await writeTwoChains()
    remove(database, chain, () => true)
    database.heads = database.heads.filter((head) => head.chain !== chain)
    expect((await verify(database)).findings).toMatchObject([{ code: 'chain.missing', chain }])
  })

  test('a head that was removed, moved or changed', async () => {
    const { database, chain } = await writeTwoChains()
    const { heads } = database
    database.heads = heads.filter((head) => head.chain !== chain)
    expect((await verify(database)).findings).toMatchObject([{ code: 'head.missing', chain }])
    const { value } = at(database, chain, 4)
    for (const changed of [{ sequence: 4, value }, { value: '' }]) {
      database.heads = heads.map((head) => (head.chain === chain ? { ...head, ...changed } : head))
      expect((await verify(database)).findings).toMatchObject([{ code: 'head.changed', chain }])
    }
  })

  test('personal data that was changed or added, and none that was erased', async () => {
    const { store } = await writeTwoChains()
    expect(await openLog({ store }).audit.erasePersonal('acc_1')).toBe(1)
    expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, erased: 1 })
    const database = await readDatabase(store)
    const [erased, whole] = database.rows.filter(({ accountId }) => accountId === 'acc_1' || accountId === 'acc_2')
    if (!erased || !whole) throw new Error('there must be two rows')
    const { chain, sequence } = whole
    const personal = whole.personal?.replace('203.0.113.7', '203.0.113.8') ?? ''
    change(database, chain, sequence, { personal })
    expect((await verify(database)).findings).toMatchObject([{ code: 'personal.changed', chain, from: sequence }])
    change(database, chain, sequence, { personal: whole.personal })
    change(database, chain, 1, { personal: '{}' })
    expect((await verify(database)).findings).toMatchObject([{ code: 'personal.changed', chain, from: 1 }])
  })

  test('rows that a secret has signed which is not given, and none that an older one has', async () => {
    const { database } = await writeTwoChains()
    const newer = { id: 'k2', bytes: new Uint8Array(32).fill(8) }
    expect((await verifyAudit({ store: storeOf(database), secrets: [newer, ...secrets] })).ok).toBe(true)
    const { findings, found } = await verifyAudit({ store: storeOf(database), secrets: [newer] })
    expect([new Set(findings.map(({ code }) => code)), found]).toEqual([new Set(['row.unreadable']), 10])
    const forged = { id: 'k1', bytes: new Uint8Array(32).fill(9) }
    const verdict = await verifyAudit({ store: storeOf(database), secrets: [forged] })
    expect(new Set(verdict.findings.map(({ code }) => code))).toEqual(new Set(['row.changed']))
  })

  test('a checkpoint that this log has not written', async () => {
    const { database, checkpoints, chain } = await writeTwoChains()
    const [checkpoint = ''] = checkpoints
    const given = [checkpoint, checkpoint.replace('"sequence":1', '"sequence":2'), at(database, chain, 2).value, '']
    const { findings } = await verify(database, given)
    expect(findings).toEqual([2, 3, 4].map((from) => ({ code: 'checkpoint.forged', chain: null, from, through: from })))
  })
})

test('each finding is one sentence', () => {
  const place = { chain: 'A', from: 3, through: 5 }
  expect(describeFinding({ code: 'row.removed', ...place })).toBe('Each of the rows 3 to 5 of the chain A was removed.')
  expect(describeFinding({ code: 'row.changed', ...place, through: 3 })).toBe(
    'Row 3 of the chain A was changed or forged.',
  )
  expect(describeFinding({ code: 'chain.missing', chain: 'A', from: null, through: null })).toBe(
    'The chain A is missing: a checkpoint knows it.',
  )
  expect(describeFinding({ code: 'checkpoint.forged', chain: null, from: 2, through: 2 })).toBe(
    'The given checkpoint 2 was not written by this log, or with a secret that is not among the given ones.',
  )
})

test('decisions of which it is not known what came are counted', async () => {
  const { audit, store } = openLog()
  const intents = await Promise.all([audit.intend(facts), audit.intend(facts), audit.intend(facts)])
  await intents[0].done()
  await intents[1].failed()
  expect(await verifyAudit({ store, secrets })).toMatchObject({ ok: true, unknown: 1 })
})

describe('what is pruned', () => {
  test('is what was written before the last checkpoint of that time, and is no finding', async () => {
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

  test('of a chain that goes on ends at a checkpoint', async () => {
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
