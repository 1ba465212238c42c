import { describeFinding, exportCheckpoint, pruneAudit, verifyAudit } from '@latchkey/audit'
import { encodeBase64url, hmacSha256 } from '@latchkey/bytes'
import { type AuditStore, createMemoryAuditStore, type StoredAuditRow, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Database, facts, openLog, readDatabase, secrets, start, storeOf } from './open-log.ts'
import { remove, verify, writeTwoChains } from './two-chains.ts'

function change(database: Database, chain: string, sequence: number, fields: Partial<StoredAuditRow>): void {
  database.rows = database.rows.map((row) =>
    row.chain === chain && row.sequence === sequence ? { ...row, ...fields } : row,
  )
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

/** Changes what a row says, and signs it again: only who has the secret can do it. */
function resign(value: string, edit: (text: string) => string): string {
  const text = edit(value.slice(value.indexOf('{')))
  return `k1.${encodeBase64url(hmacSha256(secrets[0].bytes, text))}.${text}`
}

describe('a verification names', () => {
  test('a removed row at every position', async () => {
    for (const sequence of [1, 2, 3, 4]) {
      const { database, chain } = await writeTwoChains()
      remove(database, chain, (place) => place === sequence)
      const { findings } = await verify(database)
      expect(findings).toEqual([{ code: 'row.removed', chain, from: sequence, through: sequence }])
    }
  })

  test('a row with any column changed', async () => {
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

  test('a row whose details were changed in its value', async () => {
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

  test('personal data that was changed or added, but not erased data', async () => {
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

  test('rows signed by a secret that was not given, but not rows signed by an older given secret', async () => {
    const { database } = await writeTwoChains()
    const newer = { id: 'k2', bytes: new Uint8Array(32).fill(8) }
    expect((await verifyAudit({ store: storeOf(database), secrets: [newer, ...secrets] })).ok).toBe(true)
    const { findings, found } = await verifyAudit({ store: storeOf(database), secrets: [newer] })
    expect([new Set(findings.map(({ code }) => code)), found]).toEqual([new Set(['row.unreadable']), 10])
    const forged = { id: 'k1', bytes: new Uint8Array(32).fill(9) }
    const verdict = await verifyAudit({ store: storeOf(database), secrets: [forged] })
    expect(new Set(verdict.findings.map(({ code }) => code))).toEqual(new Set(['row.changed']))
  })

  test('a row that was signed, and does not follow the one before it', async () => {
    const { database, chain } = await writeTwoChains()
    const row = at(database, chain, 3)
    const value = resign(row.value, (text) => text.replace(/"previous":"[^"]+/, `"previous":"${'A'.repeat(43)}`))
    change(database, chain, 3, { value })
    const { findings } = await verify(database)
    expect(findings).toMatchObject([
      { code: 'row.unlinked', chain, from: 3 },
      { code: 'row.unlinked', chain, from: 4 },
    ])
  })

  test('a checkpoint that this log has not written', async () => {
    const { database, checkpoints, chain } = await writeTwoChains()
    const [checkpoint = ''] = checkpoints
    const given = [checkpoint, checkpoint.replace('"sequence":1', '"sequence":2'), at(database, chain, 2).value, '']
    const { findings } = await verify(database, given)
    expect(findings).toEqual([2, 3, 4].map((from) => ({ code: 'checkpoint.forged', chain: null, from, through: from })))
  })
})

describe('a verification has no verdict', () => {
  test('if the store fails', async () => {
    const { store } = await writeTwoChains()
    const outage = new StoreError('STORE_UNAVAILABLE', 'no answer')
    for (const method of ['listChains', 'readChain'] as const) {
      const failing = { ...store, [method]: () => Promise.reject(outage) }
      await expect(verifyAudit({ store: failing, secrets })).rejects.toBe(outage)
    }
  })

  test('about a row that a newer release has written', async () => {
    const { database, chain } = await writeTwoChains()
    const newer = resign(at(database, chain, 3).value, (text) => text.replace('"v":2', '"v":99'))
    change(database, chain, 3, { value: newer })
    await expect(verify(database)).rejects.toMatchObject({ code: 'STORE_DATA_NEWER' })
  })
})

test('rows written during a verification cause no finding', async () => {
  const { store, audit } = openLog()
  await audit.record(facts)
  const writing: AuditStore = {
    ...store,
    async readChain(...range) {
      await audit.record(facts)
      await openLog({ store }).audit.record(facts)
      return store.readChain(...range)
    },
  }
  expect(await verifyAudit({ store: writing, secrets })).toMatchObject({ ok: true, chains: 1, rows: 2 })
})

test.each<[string, () => Promise<unknown>]>([
  [
    'verifyAudit has no option "colour"',
    () => verifyAudit({ store: createMemoryAuditStore(), secrets, colour: 1 } as never),
  ],
  ['"store" must be an AuditStore', () => verifyAudit({ store: {} as AuditStore, secrets })],
  ['"secrets" must be a list', () => verifyAudit({ store: createMemoryAuditStore(), secrets: [] as never })],
  ['"store" must be an AuditStore', () => exportCheckpoint({ store: {} as AuditStore, secrets })],
  [
    'exportCheckpoint has no option "colour"',
    () => exportCheckpoint({ store: createMemoryAuditStore(), secrets, colour: 1 } as never),
  ],
  ['"store" must be an AuditStore', () => pruneAudit({ store: {} as AuditStore, secrets, before: 1 })],
  [
    '"signal" must be an AbortSignal',
    () => pruneAudit({ store: createMemoryAuditStore(), secrets, before: 1, signal: {} as AbortSignal }),
  ],
])('the developer is told that %s', async (message, call) => {
  await expect(call()).rejects.toThrow(TypeError)
  await expect(call()).rejects.toThrow(message)
})

test('describeFinding returns one sentence for each code', () => {
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
