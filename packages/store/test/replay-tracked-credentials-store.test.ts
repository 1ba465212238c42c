import { createMemoryRecordStore, type RecordStore, StoreError } from '@latchkey/store'
import { createReplayTrackedCredentials } from '@latchkey/store/internal'
import { describe, expect, test } from 'vitest'

const input = { owner: 'acc_1', value: 'the value' }
const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const open = (records: RecordStore) => createReplayTrackedCredentials({ records, kind: 'code', ttlSeconds: 60 })

describe('replay-tracked credentials on a store that', () => {
  test('refuses a fresh key no credential is created', async () => {
    const records = { ...createMemoryRecordStore(), insert: async () => false }
    await expect(open(records).create(input)).rejects.toMatchObject(unavailable)
  })

  test('keeps refusing the swap a use is an outage after four attempts, and the credential stays usable', async () => {
    const memory = createMemoryRecordStore()
    let swaps = 0
    const replace: RecordStore['replace'] = async () => {
      swaps++
      return false
    }
    const { credential } = await open(memory).create(input)
    await expect(open({ ...memory, replace }).use(credential, 'rt_1')).rejects.toMatchObject(unavailable)
    expect(swaps).toBe(4)
    expect(await open(memory).use(credential, 'rt_1')).toEqual({ ok: true, ...input })
  })

  test('lets another caller win between the read and the swap the loser learns what the winner gave', async () => {
    const memory = createMemoryRecordStore()
    const { credential } = await open(memory).create(input)
    let isBeaten = false
    const replace: RecordStore['replace'] = async (current, next) => {
      if (!isBeaten) {
        isBeaten = true
        expect(await open(memory).use(credential, 'rt_winner')).toMatchObject({ ok: true })
      }
      return memory.replace(current, next)
    }
    const lost = { ok: false, reason: 'used', gave: 'rt_winner', owner: 'acc_1' }
    expect(await open({ ...memory, replace }).use(credential, 'rt_loser')).toEqual(lost)
    expect(await open(memory).confirm(credential)).toBe(false)
  })

  test('refuses the mark of a second use once still mark it: the first is not confirmed', async () => {
    const memory = createMemoryRecordStore()
    const { credential } = await open(memory).create(input)
    expect(await open(memory).use(credential, 'rt_1')).toMatchObject({ ok: true })
    let refusals = 1
    const replace: RecordStore['replace'] = async (current, next) =>
      refusals-- > 0 ? false : memory.replace(current, next)
    const again = await open({ ...memory, replace }).use(credential, 'rt_2')
    expect(again).toEqual({ ok: false, reason: 'used', gave: 'rt_1', owner: 'acc_1' })
    expect(await open(memory).confirm(credential)).toBe(false)
  })

  test('is down reject every call as an outage, and never report an unknown credential', async () => {
    const memory = createMemoryRecordStore()
    const { credential } = await open(memory).create(input)
    const down = new StoreError('STORE_UNAVAILABLE', 'no answer in time')
    const get = () => Promise.reject(down)
    const credentials = open({ ...memory, get })
    await expect(credentials.read(credential)).rejects.toBe(down)
    await expect(credentials.use(credential, 'rt_1')).rejects.toBe(down)
    await expect(credentials.confirm(credential)).rejects.toBe(down)
  })
})

test.each<[what: string, damage: object]>([
  ['no digest', { secretHash: 1 }],
  ['no value', { value: undefined }],
  ['nothing where its use stands', { used: undefined }],
  ['a use that gave nothing', { used: { again: false } }],
  ['a use that gave what is no key', { used: { gave: 1, again: false } }],
  ['a use without the mark', { used: { gave: 'rt_1' } }],
  ['a use with another mark', { used: { gave: 'rt_1', again: 1 } }],
])('a record with %s is an outage that is named, and says neither used nor unused', async (_what, damage) => {
  const records = createMemoryRecordStore()
  const { credential } = await open(records).create(input)
  const record = (await records.get(credential.split('.')[0]!))!
  const value = JSON.stringify({ ...JSON.parse(record.value), ...damage })
  await records.replace(record, { value, expiresAt: record.expiresAt })
  const invalid = { code: 'STORE_DATA_INVALID', message: expect.stringContaining('is no traced credential: ') }
  await expect(open(records).read(credential)).rejects.toMatchObject(invalid)
  await expect(open(records).use(credential, 'rt_2')).rejects.toMatchObject(invalid)
})

test('a credential that was never used cannot be confirmed', async () => {
  const records = createMemoryRecordStore()
  const { credential } = await open(records).create(input)
  expect(await open(records).confirm(credential)).toBe(false)
  expect(await open(records).use(credential, 'rt_1')).toMatchObject({ ok: true })
})

test('the clock of the store decides by default, to the millisecond', async () => {
  let time = Date.UTC(2026, 0, 1)
  const records = createMemoryRecordStore({ now: () => time })
  const credentials = open(records)
  const { credential, expiresAt } = await credentials.create(input)
  expect(expiresAt).toBe(time + 60_000)
  time = expiresAt - 1
  expect(await credentials.read(credential)).toMatchObject(input)
  time = expiresAt
  expect(await credentials.read(credential)).toBeNull()
})

test('a credential expires in time with a store whose clock is behind', async () => {
  let time = Date.UTC(2026, 0, 1)
  const records = createMemoryRecordStore({ now: () => 0 })
  const credentials = createReplayTrackedCredentials({ records, kind: 'code', ttlSeconds: 60, now: () => time })
  const { credential, expiresAt } = await credentials.create(input)
  time = expiresAt
  expect(await credentials.use(credential, 'rt_1')).toEqual({ ok: false, reason: 'unknown' })
})

test.each<[options: object, name: string]>([
  [{ kind: 'Code' }, '"kind"'],
  [{ kind: 'abcdefghi' }, '"kind"'],
  [{ kind: 'a_b' }, '"kind"'],
  [{ ttlSeconds: 0 }, '"ttlSeconds"'],
  [{ ttlSeconds: Number.POSITIVE_INFINITY }, '"ttlSeconds"'],
  [{ traceSeconds: 0 }, '"traceSeconds"'],
  [{ traceSeconds: Number.NaN }, '"traceSeconds"'],
  [{ records: {} }, '"records"'],
  [{ trace: 1 }, 'createReplayTrackedCredentials has no option "trace"'],
])('%j are refused by name', (options, name) => {
  const make = () =>
    createReplayTrackedCredentials({ records: createMemoryRecordStore(), kind: 'code', ttlSeconds: 60, ...options })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(name)
})
