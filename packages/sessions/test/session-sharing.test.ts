import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore, type StoredRecord } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const device = { userAgent: 'Firefox', address: '203.0.113.7' }

/** Returns a copy each time, as a store on a server does. */
function withCopies(records: RecordStore): RecordStore {
  return { ...records, get: async (key) => structuredClone(await records.get(key)) }
}

describe.each([
  ['returns the same frozen record to all', (records: RecordStore) => records],
  ['returns a copy to each', withCopies],
])('on a store that %s', (_what, wrap) => {
  async function setUp() {
    const clock = createClock()
    const records = wrap(createMemoryRecordStore({ now: clock.now }))
    const sessions = createSessions({ records, now: clock.now })
    const { credential, session } = (await sessions.create({ subject: 'acc_1', factors, device }))!
    return { clock, records, sessions, credential, session }
  }

  test('changes that one request makes to its session are not seen by the next', async () => {
    const { sessions, credential, session } = await setUp()
    for (let round = 0; round < 2; round++) {
      const read = await sessions.read(credential)
      expect(read).toEqual(session)
      for (const part of [read, read?.device, read?.factors, read?.factors[0]]) {
        for (const name of ['userAgent', 'kind', 'subject', 0]) Reflect.set(part as object, name, 'mine')
      }
    }
  })

  test('a wrong secret is refused before and after the right one', async () => {
    const { sessions, credential, session } = await setUp()
    const wrong = `${session.key}.${'A'.repeat(43)}`
    expect(await sessions.read(wrong)).toBeNull()
    expect((await sessions.read(credential))?.subject).toBe('acc_1')
    expect(await sessions.read(wrong)).toBeNull()
  })

  test('limits and revocations take effect on the next request', async () => {
    const { clock, sessions, credential, session } = await setUp()
    await sessions.read(credential)
    clock.advance(3_599.999)
    expect(await sessions.read(credential)).not.toBeNull()
    await sessions.settled()
    await sessions.revoke('acc_1', session.key)
    expect(await sessions.read(credential)).toBeNull()
  })

  test('the overall limit applies even if the session is in use', async () => {
    const { clock, sessions, credential } = await setUp()
    for (let minutes = 0; minutes < 479; minutes++) {
      clock.advance(60)
      expect(await sessions.read(credential)).not.toBeNull()
      await sessions.settled()
    }
    clock.advance(60)
    expect(await sessions.read(credential)).toBeNull()
  })

  test('a record of another kind is not a session, with any value', async () => {
    const { clock, records, sessions, credential, session } = await setUp()
    const { value } = (await records.get(session.key))!
    const key = session.key.replace('se_', 'rt_')
    await records.insert({ key, owner: 'acc_1', expiresAt: clock.now() + 1000, value })
    expect(await sessions.read(credential.replace('se_', 'rt_'))).toBeNull()
  })
})

test('the record of a store that changes what it returned is parsed each time', async () => {
  const clock = createClock()
  const memory = createMemoryRecordStore({ now: clock.now })
  const given = new Map<string, StoredRecord>()
  const get: RecordStore['get'] = async (key) => {
    const record = given.get(key) ?? structuredClone(await memory.get(key))
    if (record) given.set(key, record)
    return record
  }
  const sessions = createSessions({ records: { ...memory, get }, now: clock.now })
  const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
  expect((await sessions.read(credential))?.epoch).toBe(0)
  const record = given.get(session.key)!
  Object.assign(record, { value: JSON.stringify({ ...JSON.parse(record.value), endsAt: clock.now() }) })
  expect(await sessions.read(credential)).toBeNull()
})
