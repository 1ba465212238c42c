import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock, wrapRecordStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const password = { subject: 'acc_1', factors }

function setUp(around?: Parameters<typeof wrapRecordStore>[1]) {
  const clock = createClock()
  const memory = createMemoryRecordStore({ now: clock.now })
  const records: RecordStore = around ? wrapRecordStore(memory, around) : memory
  return { clock, memory, sessions: createSessions({ records, now: clock.now }) }
}

describe('signing in over a session', () => {
  test('creates another key, and the old credential is not valid from then on', async () => {
    const { sessions } = setUp()
    const old = (await sessions.create(password))!
    const next = (await sessions.create({ ...password, replaces: old.session }))!
    expect(next.session.key).not.toBe(old.session.key)
    expect(await sessions.read(old.credential)).toBeNull()
    expect(await sessions.read(next.credential)).not.toBeNull()
  })

  test('may change the account', async () => {
    const { sessions } = setUp()
    const old = (await sessions.create(password))!
    const next = await sessions.create({ subject: 'acc_2', factors, replaces: old.session })
    expect(next?.session.subject).toBe('acc_2')
    expect(await sessions.list('acc_1')).toEqual([])
  })

  test("continues under the lineage of the account's first session, which reads and lists return, and renewals keep", async () => {
    const { sessions, memory } = setUp()
    const first = (await sessions.create(password))!
    const second = (await sessions.create({ ...password, replaces: first.session }))!
    const third = (await sessions.regenerate('acc_1', second.session.key, { factors }))!
    await sessions.renew('acc_1', third.session.key, { epoch: 1 })
    const lineage = first.session.key
    expect([first, second, third].map(({ session }) => session.lineage)).toEqual([lineage, lineage, lineage])
    expect(await sessions.read(third.credential)).toMatchObject({ key: third.session.key, lineage })
    expect(await sessions.find('acc_1', third.session.key)).toMatchObject({ key: third.session.key, lineage })
    const other = (await sessions.create({ subject: 'acc_2', factors, replaces: third.session }))!
    expect(other.session.lineage).toBe(other.session.key)
    expect(JSON.parse((await memory.get(other.session.key))?.value ?? '')).not.toHaveProperty('lineage')
  })

  test('starts a new lineage with keepsLineage: false, which renewals keep', async () => {
    const { sessions, memory } = setUp()
    const first = (await sessions.create(password))!
    const second = (await sessions.create({ ...password, replaces: first.session, keepsLineage: false }))!
    expect(second.session.lineage).toBe(second.session.key)
    const third = (await sessions.regenerate('acc_1', second.session.key, { factors }))!
    expect(third.session.lineage).toBe(second.session.key)
    const fourth = (await sessions.regenerate('acc_1', third.session.key, { factors, keepsLineage: false }))!
    expect(await sessions.read(fourth.credential)).toMatchObject({ lineage: fourth.session.key })
    expect(JSON.parse((await memory.get(fourth.session.key))?.value ?? '')).not.toHaveProperty('lineage')
    expect(await sessions.list('acc_1')).toHaveLength(1)
  })

  test.each([1, null, {}])('is an outage if the stored lineage is %j', async (lineage) => {
    const { sessions, memory } = setUp()
    const { session, credential } = (await sessions.create(password))!
    const record = (await memory.get(session.key))!
    const value = JSON.stringify({ ...JSON.parse(record.value), lineage })
    await memory.replace(record, { value, expiresAt: record.expiresAt })
    await expect(sessions.read(credential)).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
  })

  test('is refused if the old session was revoked meanwhile, and leaves no session', async () => {
    const { sessions } = setUp()
    const old = (await sessions.create(password))!
    expect(await sessions.revoke('acc_1', old.session.key)).toBe(true)
    expect(await sessions.create({ ...password, replaces: old.session })).toBeNull()
    expect(await sessions.list('acc_1')).toEqual([])
  })

  test('succeeds when the old one has merely expired', async () => {
    const { sessions, clock } = setUp()
    const old = (await sessions.create(password))!
    clock.advance(3600)
    expect(await sessions.create({ ...password, replaces: old.session })).not.toBeNull()
  })

  test('is refused when the old one was used, and then revoked, just before its limit', async () => {
    const { sessions, clock } = setUp()
    const { credential } = (await sessions.create(password))!
    clock.advance(3599.9)
    const old = (await sessions.read(credential))!
    await sessions.settled()
    await sessions.revoke('acc_1', old.key)
    clock.advance(0.2)
    expect(await sessions.create({ ...password, replaces: old })).toBeNull()
  })

  test('has one winner if it happens twice over the same session', async () => {
    const { sessions } = setUp()
    const { session } = (await sessions.create(password))!
    const both = await Promise.all([1, 2].map(() => sessions.create({ ...password, replaces: session })))
    expect(both.filter((issued) => issued !== null)).toHaveLength(1)
    expect(await sessions.list('acc_1')).toHaveLength(1)
  })

  test('leaves no session without a holder when the store fails halfway', async () => {
    let failures = 0
    const { sessions, memory } = setUp(async (method, run) => {
      if (method === 'remove' && failures++ === 0) throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    })
    const old = (await sessions.create(password))!
    const attempt = sessions.create({ ...password, replaces: old.session })
    await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const { items } = await memory.listByOwner('acc_1')
    expect(items.map(({ key }) => key)).toEqual([old.session.key])
  })
})

test('a store that stays down while a session is replaced is reported by its first failure', async () => {
  let failures = 0
  const { sessions } = setUp(async (method, run) => {
    if (method === 'remove') throw new StoreError('STORE_UNAVAILABLE', `failure ${++failures}`)
    return run()
  })
  const old = (await sessions.create(password))!
  await expect(sessions.create({ ...password, replaces: old.session })).rejects.toThrow('failure 1')
})

describe('regenerating the session of an established identity', () => {
  test('keeps the device and takes the new epoch and factors', async () => {
    const { sessions } = setUp()
    const device = { userAgent: 'Firefox', address: '203.0.113.7' }
    const old = (await sessions.create({ ...password, device, persistent: false }))!
    const proofs = [{ kind: 'password', at: 2 }]
    const next = (await sessions.regenerate('acc_1', old.session.key, { epoch: 1, factors: proofs }))!
    expect(next.session).toMatchObject({ subject: 'acc_1', epoch: 1, factors: proofs, device, persistent: false })
    expect(await sessions.read(old.credential)).toBeNull()
    expect(await sessions.read(next.credential)).not.toBeNull()
  })

  test.each(['acc_2', ''])('does not change a session of another account for the account %j', async (subject) => {
    const { sessions } = setUp()
    const { session, credential } = (await sessions.create(password))!
    expect(await sessions.regenerate(subject, session.key, { factors })).toBeNull()
    expect(await sessions.read(credential)).not.toBeNull()
  })

  test('returns null after a revocation', async () => {
    const { sessions } = setUp()
    const { session } = (await sessions.create(password))!
    await sessions.revoke('acc_1', session.key)
    expect(await sessions.regenerate('acc_1', session.key, { factors })).toBeNull()
    expect(await sessions.list('acc_1')).toEqual([])
  })
})
