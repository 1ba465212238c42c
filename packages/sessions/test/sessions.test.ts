import { createSessions, type SessionsEvent } from '@latchkey/sessions'
import { createCredential, createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock, createRecordedStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]

function setUp(options: object = {}) {
  const clock = createClock()
  const { records, changes, inserted } = createRecordedStore(clock.now)
  const events: SessionsEvent[] = []
  const sessions = createSessions({ records, now: clock.now, onEvent: (event) => events.push(event), ...options })
  const create = async (subject = 'acc_1') => (await sessions.create({ subject, factors }))!
  return { clock, records, changes, inserted, events, sessions, create }
}

describe('a session', () => {
  test('is read by its credential with the input of the sign-in', async () => {
    const { sessions, clock } = setUp()
    const device = { userAgent: 'Firefox', address: '203.0.113.7' }
    const issued = await sessions.create({ subject: 'acc_1', epoch: 3, factors, device, persistent: false })
    expect(issued?.credential).toMatch(/^se_[\w-]{22}\.[\w-]{43}$/)
    const read = await sessions.read(issued!.credential)
    expect(read).toEqual(issued?.session)
    expect(read).toEqual({
      key: issued!.credential.split('.')[0],
      lineage: issued!.credential.split('.')[0],
      subject: 'acc_1',
      epoch: 3,
      factors,
      device,
      enrollmentSince: null,
      impersonation: null,
      persistent: false,
      createdAt: clock.now(),
      lastUsedAt: clock.now(),
      expiresAt: clock.now() + 3_600_000,
    })
  })

  test('belongs to epoch 0, is persistent and has no device by default', async () => {
    const { create } = setUp()
    const { session } = await create()
    expect(session).toMatchObject({ epoch: 0, persistent: true, device: { userAgent: null, address: null } })
  })

  test('is stored without its credential', async () => {
    const { create, inserted } = setUp()
    const { credential } = await create()
    const secret = credential.split('.')[1]!
    expect(JSON.stringify(inserted)).not.toContain(secret)
    expect(JSON.stringify(inserted)).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  })

  test("stores a bounded part of the client's user agent and address", async () => {
    const { sessions } = setUp()
    const device = { userAgent: `${'x'.repeat(255)}😀${'y'.repeat(9000)}`, address: '1'.repeat(500) }
    const issued = await sessions.create({ subject: 'acc_1', factors, device })
    expect(issued?.session.device.userAgent).toBe(`${'x'.repeat(255)}\ufffd`)
    expect(issued?.session.device.address).toHaveLength(64)
  })

  test('without a subject is a TypeError', async () => {
    const { sessions, changes } = setUp()
    await expect(sessions.create({ subject: '', factors })).rejects.toThrow(TypeError)
    expect(changes).toEqual([])
  })

  test('is an outage if the store refuses it: no credential is issued', async () => {
    const { records } = setUp()
    const sessions = createSessions({ records: { ...records, insert: async () => false } })
    await expect(sessions.create({ subject: 'acc_1', factors })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('belongs to an account: a record without an owner grants no access', async () => {
    const { sessions, create, records, clock } = setUp()
    const { credential, session } = await create()
    const { value } = (await records.get(session.key))!
    await records.remove(session.key)
    await records.insert({ key: session.key, owner: null, expiresAt: clock.now() + 60_000, value })
    expect(await sessions.read(credential)).toBeNull()
    expect(await sessions.peek(credential)).toBeNull()
  })
})

describe('a credential that is not one', () => {
  const other = createCredential('se').text
  const [key = '', secret = ''] = other.split('.')
  const forms: [string, (good: string) => string | null][] = [
    ['nothing', () => null],
    ['an empty text', () => ''],
    ['a forged one', () => other],
    ['a known key with another secret', (good) => `${good.split('.')[0]}.${secret}`],
    ['a known secret under another key', (good) => `${key}.${good.split('.')[1]}`],
    ['the bare key', (good) => good.split('.')[0]!],
    ['a truncated one', (good) => good.slice(0, -1)],
    ['a longer one', (good) => `${good}A`],
    ['one of another kind', (good) => good.replace('se_', 'rt_')],
    ['upper case in the kind', (good) => good.replace('se_', 'SE_')],
    ['a second dot', (good) => good.replace('.', '..')],
    ['two of them', (good) => `${good}, ${good}`],
    ['white space around it', (good) => ` ${good}`],
    ['a line break behind it', (good) => `${good}\n`],
    ['quotes around it', (good) => `"${good}"`],
    ['padding', (good) => `${good}=`],
    ['a megabyte', () => `se_${'A'.repeat(1_000_000)}`],
    ['full-width letters', (good) => good.replace('se_', 'ｓｅ_')],
    ['a NUL inside', (good) => `${good.slice(0, 5)}\0${good.slice(6)}`],
    ['a lone surrogate', (good) => `${good.slice(0, -1)}\ud800`],
    ['a name of an object', () => '__proto__'],
  ]
  test.each(forms)('%s is no session, and the store does not change', async (_what, spoil) => {
    const { sessions, create, changes, clock } = setUp()
    const { credential } = await create()
    clock.advance(120)
    changes.length = 0
    expect(await sessions.read(spoil(credential))).toBeNull()
    await sessions.settled()
    expect(changes).toEqual([])
    expect(await sessions.read(credential)).not.toBeNull()
  })
})

describe('the limits', () => {
  test('end a session that is not used for an hour', async () => {
    const { sessions, create, clock } = setUp()
    const { credential } = await create()
    clock.advance(3599.999)
    expect(await sessions.read(credential)).not.toBeNull()
    const { credential: unused } = await create()
    clock.advance(3600)
    expect(await sessions.read(unused)).toBeNull()
  })

  test('end a session after eight hours, however much it is used', async () => {
    const { sessions, create, clock } = setUp()
    const { credential, session } = await create()
    for (let minute = 0; minute < 479; minute += 1) {
      clock.advance(60)
      const read = await sessions.read(credential)
      await sessions.settled()
      expect(read?.expiresAt).toBeLessThanOrEqual(session.createdAt + 28_800_000)
    }
    clock.advance(59.999)
    expect(await sessions.read(credential)).not.toBeNull()
    clock.advance(0.001)
    expect(await sessions.read(credential)).toBeNull()
    expect(await sessions.list('acc_1')).toEqual([])
  })

  test('apply if the clock of the store is behind', async () => {
    const clock = createClock()
    const lazy = createMemoryRecordStore({ now: () => 0 })
    const sessions = createSessions({ records: lazy, now: clock.now })
    const issued = await sessions.create({ subject: 'acc_1', factors })
    clock.advance(3600)
    expect(await sessions.read(issued!.credential)).toBeNull()
    expect(await sessions.list('acc_1')).toEqual([])
  })

  test('apply if they are less than a second', async () => {
    const { sessions, create, clock } = setUp({ ttlSeconds: 0.5, idleSeconds: 0.5, touchIntervalSeconds: 0 })
    const { credential } = await create()
    clock.advance(0.499)
    expect(await sessions.read(credential)).not.toBeNull()
    clock.advance(0.001)
    expect(await sessions.read(credential)).toBeNull()
  })

  test('stay as they were at the creation of a session when the options change', async () => {
    const { create, clock, records } = setUp()
    const { credential, session } = await create()
    const shorter = createSessions({ records, now: clock.now, idleSeconds: 600 })
    const read = await shorter.read(credential)
    expect(read?.lastUsedAt).toBe(session.lastUsedAt)
    expect(read?.expiresAt).toBe(session.expiresAt)
    clock.advance(300)
    expect(await shorter.read(credential)).toMatchObject({
      lastUsedAt: clock.now(),
      expiresAt: clock.now() + 3_600_000,
    })
    await shorter.settled()
    expect(await shorter.peek(credential)).toMatchObject({
      lastUsedAt: clock.now(),
      expiresAt: clock.now() + 3_600_000,
    })
    clock.advance(3599)
    expect(await shorter.peek(credential)).not.toBeNull()
  })

  test('may be a hundred years', async () => {
    const { create, clock } = setUp({ ttlSeconds: 3_153_600_000, idleSeconds: 3_153_600_000 })
    expect((await create()).session.expiresAt).toBe(clock.now() + 3_153_600_000_000)
  })

  test.each([
    [{ ttlSeconds: 0 }, '"ttlSeconds"'],
    [{ ttlSeconds: Number.NaN }, '"ttlSeconds"'],
    [{ ttlSeconds: Number.POSITIVE_INFINITY }, '"ttlSeconds"'],
    [{ idleSeconds: -1 }, '"idleSeconds"'],
    [{ ttlSeconds: 3_153_600_001 }, '"ttlSeconds"'],
    [{ idleSeconds: '600' }, '"idleSeconds" must be a number'],
    [{ ttlSeconds: 60, idleSeconds: 61, touchIntervalSeconds: 1 }, '"idleSeconds"'],
    [{ touchIntervalSeconds: -1 }, '"touchIntervalSeconds"'],
    [{ touchIntervalSeconds: 3600 }, '"touchIntervalSeconds"'],
  ])('%j are refused by name when sessions are created', (options, name) => {
    const records = createMemoryRecordStore()
    const make = () => createSessions({ records, ...(options as object) })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(name)
  })
})
