import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { createReplayTrackedCredentials, type TracedVerdict } from '@latchkey/store/internal'
import { beforeEach, describe, expect, test } from 'vitest'

let time = 0
let records: RecordStore
const now = () => time
const open = (kind = 'code') => createReplayTrackedCredentials({ records, kind, ttlSeconds: 60, now })
const input = { owner: 'acc_1', value: 'the value' }
const unknown = { ok: false, reason: 'unknown' }

beforeEach(() => {
  time = Date.UTC(2026, 0, 1)
  records = createMemoryRecordStore({ now })
})

describe('a credential that leaves a trace', () => {
  test('is used once, and may be confirmed', async () => {
    const { credential, expiresAt } = await open().create(input)
    expect(expiresAt).toBe(time + 60_000)
    expect(await open().use(credential, 'rt_1')).toEqual({ ok: true, ...input })
    expect(await open().confirm(credential)).toBe(true)
  })

  test('returns its results to everyone who presents it again', async () => {
    const { credential } = await open().create(input)
    await open().use(credential, 'rt_1')
    for (const gives of ['rt_2', 'rt_3']) {
      expect(await open().use(credential, gives)).toEqual({ ok: false, reason: 'used', gave: 'rt_1', owner: 'acc_1' })
    }
  })

  test('is not confirmed if it was presented again before', async () => {
    const { credential } = await open().create(input)
    await open().use(credential, 'rt_1')
    await open().use(credential, 'rt_2')
    expect(await open().confirm(credential)).toBe(false)
  })

  test('is remembered for ten minutes after its use, and unknown then', async () => {
    const { credential } = await open().create(input)
    time += 59_999
    await open().use(credential, 'rt_1')
    time += 599_999
    expect(await open().use(credential, 'rt_2')).toMatchObject({ reason: 'used', gave: 'rt_1' })
    time += 600_000
    expect(await open().use(credential, 'rt_3')).toEqual(unknown)
    expect(await open().confirm(credential)).toBe(false)
  })

  test('expires with its lifetime if it is not used', async () => {
    const { credential } = await open().create(input)
    time += 60_000
    expect(await open().use(credential, 'rt_1')).toEqual(unknown)
  })

  test('can be read while it is unused, and no longer', async () => {
    const { credential } = await open().create(input)
    expect(await open().read(credential)).toMatchObject(input)
    await open().use(credential, 'rt_1')
    expect(await open().read(credential)).toBeNull()
  })

  test('is used by exactly one of several callers that have read it, and the others learn its results', async () => {
    const { credential } = await open().create(input)
    const read = await Promise.all(Array.from({ length: 3 }, () => open().read(credential)))
    const verdicts = await Promise.all(read.map((found, index) => found?.use(`rt_${index}`)))
    expect(verdicts.filter((verdict) => verdict?.ok)).toHaveLength(1)
    const gave = `rt_${verdicts.findIndex((verdict) => verdict?.ok)}`
    for (const verdict of verdicts) expect(verdict).toMatchObject(verdict?.ok ? input : { reason: 'used', gave })
  })

  test('is unusable after the records of its owner were removed', async () => {
    const { credential } = await open().create(input)
    await records.removeByOwner('acc_1')
    expect(await open().use(credential, 'rt_1')).toEqual(unknown)
  })

  test('is not confirmed after the records of its owner were removed', async () => {
    const { credential } = await open().create(input)
    await open().use(credential, 'rt_1')
    await records.removeByOwner('acc_1')
    expect(await open().confirm(credential)).toBe(false)
  })

  test('does not change if it is presented as another kind, with another secret or in another form', async () => {
    const { credential } = await open().create(input)
    const other = await open().create(input)
    const forged = `${credential.split('.')[0]}.${other.credential.split('.')[1]}`
    for (const shown of [null, '', 'code_', forged, credential.replace('code', 'reset'), `${credential}A`]) {
      expect(await open().use(shown, 'rt_1')).toEqual(unknown)
    }
    expect(await open('reset').use(credential, 'rt_1')).toEqual(unknown)
    expect(await open().use(credential, 'rt_1')).toMatchObject({ ok: true })
  })

  test('is stored without its secret', async () => {
    const { credential } = await open().create(input)
    const [key = '', secret = ''] = credential.split('.')
    expect((await records.get(key))?.value).not.toContain(secret)
  })

  test.each([2, 3, 8])(
    'is used by one caller if it is presented %i times at once, and the results of that caller are revoked',
    async (times) => {
      for (let round = 0; round < 25; round++) {
        const { credential } = await open().create(input)
        const families = new Set<string>()
        const redeem = async (gives: string): Promise<[TracedVerdict, boolean]> => {
          const verdict = await open().use(credential, gives)
          if (!verdict.ok) {
            if (verdict.reason === 'used') families.delete(verdict.gave)
            return [verdict, false]
          }
          await new Promise(setImmediate)
          families.add(gives)
          const isAnswered = await open().confirm(credential)
          if (!isAnswered) families.delete(gives)
          return [verdict, isAnswered]
        }
        const all = await Promise.all(Array.from({ length: times }, (_none, index) => redeem(`rt_${index}`)))
        expect(all.filter(([verdict]) => verdict.ok)).toHaveLength(1)
        expect([...families]).toEqual([])
      }
    },
  )

  test('is an outage if a newer release has written its record', async () => {
    const { credential } = await open().create(input)
    const record = await records.get(credential.split('.')[0] ?? '')
    if (!record) throw new Error('it is not stored')
    await records.replace(record, { ...record, value: record.value.replace(/"v":\d+/, '"v":99') })
    await expect(open().use(credential, 'rt_1')).rejects.toMatchObject({ code: 'STORE_DATA_NEWER' })
  })
})

describe('createReplayTrackedCredentials', () => {
  test.each([
    [{ kind: 'Code' }, '"kind"'],
    [{ ttlSeconds: 0 }, '"ttlSeconds"'],
    [{ traceSeconds: Number.NaN }, '"traceSeconds"'],
    [{ trace: 1 }, 'no option "trace"'],
  ])('refuses %j', (wrong, message) => {
    const options = { records: createMemoryRecordStore(), kind: 'code', ttlSeconds: 60, ...wrong }
    expect(() => createReplayTrackedCredentials(options)).toThrow(TypeError)
    expect(() => createReplayTrackedCredentials(options)).toThrow(message)
  })

  test('refuses a store in which two callers could win', () => {
    const strong = createMemoryRecordStore()
    const eventual = { ...strong, capabilities: { ...strong.capabilities, consistency: 'eventual' as const } }
    expect(() => createReplayTrackedCredentials({ records: eventual, kind: 'code', ttlSeconds: 60 })).toThrow(
      '"records"',
    )
  })
})
