import {
  createMemoryRecordStore,
  createOneTimeCredentials,
  parseCredential,
  type RecordStore,
  StoreError,
} from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'

let time = 0
let records: RecordStore
const now = () => time
const open = (kind = 'reset') => createOneTimeCredentials({ records, kind, ttlSeconds: 1800, now })
const input = { owner: 'acc_1', value: 'the value' }

beforeEach(() => {
  time = Date.UTC(2026, 0, 1)
  records = createMemoryRecordStore({ now })
})

describe('a one-time credential', () => {
  test('returns owner and value once', async () => {
    const { credential, expiresAt } = await open().create(input)
    expect(expiresAt).toBe(time + 1_800_000)
    expect(await open().consume(credential)).toEqual(input)
    expect(await open().consume(credential)).toBeNull()
  })

  test('may have no owner and any value', async () => {
    for (const value of ['', '{"a":1}', 'é😀', '.'.repeat(100)]) {
      const { credential } = await open().create({ owner: null, value })
      expect(await open().consume(credential)).toEqual({ owner: null, value })
    }
  })

  test('can be read by its holder before it is consumed', async () => {
    const { credential } = await open().create(input)
    const [key] = credential.split('.')
    expect(await open().read(credential)).toEqual(input)
    expect(await open().read(credential)).toEqual(input)
    expect(await open().read(`${key}.${'A'.repeat(43)}`)).toBeNull()
    expect(await open('verify').read(credential)).toBeNull()
    expect(await open().consume(credential)).toEqual(input)
    expect(await open().read(credential)).toBeNull()
  })

  test('has a single winner among parallel callers', async () => {
    const { credential } = await open().create(input)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => open().consume(credential)))
    expect(outcomes.filter((outcome) => outcome !== null)).toEqual([input])
  })

  test('is not consumed by its key alone', async () => {
    const { credential } = await open().create(input)
    const other = await open().create(input)
    const key = parseCredential('reset', credential)?.key ?? ''
    const secretOfOther = other.credential.split('.')[1]
    expect(await open().consume(`${key}.${secretOfOther}`)).toBeNull()
    expect(await open().consume(key)).toBeNull()
    expect(await open().consume(credential)).toEqual(input)
  })

  test('is not valid as another kind', async () => {
    const { credential } = await open('reset').create(input)
    expect(await open('verify').consume(credential)).toBeNull()
    expect(await open('verify').consume(credential.replace('reset', 'verify'))).toBeNull()
    expect(await open('reset').consume(credential)).toEqual(input)
  })

  test('ends with its lifetime', async () => {
    const { credential } = await open().create(input)
    time += 1_799_999
    const spare = await open().create(input)
    time += 1
    expect(await open().consume(credential)).toBeNull()
    expect(await open().consume(spare.credential)).toEqual(input)
  })

  test('ends with its lifetime even when the clock of the store is behind', async () => {
    records = createMemoryRecordStore({ now: () => 0 })
    const { credential, expiresAt } = await open().create(input)
    time = expiresAt
    expect(await open().consume(credential)).toBeNull()
    time -= 1
    expect(await open().consume(credential)).toEqual(input)
  })

  test('goes by the clock of its store unless it is given another', async () => {
    const links = createOneTimeCredentials({ records, kind: 'reset', ttlSeconds: 1800 })
    const { credential, expiresAt } = await links.create(input)
    expect(expiresAt).toBe(time + 1_800_000)
    expect(await links.read(credential)).toEqual(input)
    time = expiresAt
    expect(await links.consume(credential)).toBeNull()
  })

  test('ends with all records of its owner', async () => {
    const { credential } = await open().create(input)
    await records.removeByOwner('acc_1')
    expect(await open().consume(credential)).toBeNull()
  })

  test('leaves no secret in the store', async () => {
    const { credential } = await open().create(input)
    const [stored] = (await records.listByOwner('acc_1')).items
    expect(JSON.stringify(stored)).not.toContain(credential.split('.')[1])
  })

  test.each([null, '', 'reset_', 'garbage', `reset_${'A'.repeat(22)}.${'A'.repeat(43)}`])(
    '%j is null',
    async (text) => {
      expect(await open().consume(text)).toBeNull()
    },
  )

  test.each(['', '!'.repeat(43), 'A'.repeat(42)])('returns null if its record was altered to %j', async (value) => {
    const { credential } = await open().create(input)
    const [stored] = (await records.listByOwner('acc_1')).items
    await records.replace(stored!, { value, expiresAt: stored!.expiresAt })
    expect(await open().consume(credential)).toBeNull()
  })
})

describe('an outage', () => {
  const down = new StoreError('STORE_UNAVAILABLE', 'the database did not answer within 250 ms')
  const fail = () => Promise.reject(down)

  test.each(['get', 'remove'] as const)('in %s is thrown and never reads as absent', async (method) => {
    const { credential } = await open().create(input)
    records = { ...records, [method]: fail }
    await expect(open().consume(credential)).rejects.toBe(down)
  })

  test('in insert is thrown', async () => {
    records = { ...records, insert: fail }
    await expect(open().create(input)).rejects.toBe(down)
  })

  test('is also a store that refuses a fresh key', async () => {
    records = { ...records, insert: async () => false }
    await expect(open().create(input)).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  })
})

describe('a TypeError at once is', () => {
  const version = '"records" must implement version 1 of the store contract'

  test('an eventually consistent store', () => {
    records = { ...records, capabilities: { ...records.capabilities, consistency: 'eventual' } }
    expect(() => open()).toThrow(/^"records" must be strongly consistent/)
  })

  test.each<[what: string, message: string, spoil: (records: RecordStore) => object]>([
    ['of the next contract', version, (good) => ({ ...good, capabilities: { ...good.capabilities, contract: 2 } })],
    ['without capabilities', version, ({ capabilities: _capabilities, ...rest }) => rest],
    ['without a clock', '"records" must be a record store: it has no "now"', ({ now: _now, ...rest }) => rest],
  ])('a store %s', (_what, message, spoil) => {
    records = spoil(records) as RecordStore
    expect(() => open()).toThrow(TypeError)
    expect(() => open()).toThrow(message)
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a lifetime of %d seconds', (ttlSeconds) => {
    expect(() => createOneTimeCredentials({ records, kind: 'reset', ttlSeconds })).toThrow(/^"ttlSeconds" must be/)
  })

  test('a kind that is not a word', () => {
    expect(() => open('re-set')).toThrow(/^"kind" must be/)
  })
})
