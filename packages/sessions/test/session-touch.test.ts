import { createSessions, type SessionsEvent } from '@latchkey/sessions'
import { StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { createClock, createGate, createRecordedStore, wrapRecordStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const touches = (changes: readonly string[]) => changes.filter((method) => method === 'touch').length

test('the use of a session is written once per interval, however many requests there are', async () => {
  const clock = createClock()
  const { records, changes } = createRecordedStore(clock.now)
  const sessions = createSessions({ records, now: clock.now })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  clock.advance(59.999)
  await sessions.read(credential)
  expect(touches(changes)).toBe(0)
  clock.advance(0.001)
  const together = await Promise.all(Array.from({ length: 50 }, () => sessions.read(credential)))
  await sessions.settled()
  await sessions.read(credential)
  expect(touches(changes)).toBe(1)
  for (const session of together) expect(session?.expiresAt).toBe(clock.now() + 3_600_000)
  clock.advance(60)
  await sessions.read(credential)
  await sessions.settled()
  expect(touches(changes)).toBe(2)
})

test('a use extends the session for another hour', async () => {
  const clock = createClock()
  const { records } = createRecordedStore(clock.now)
  const sessions = createSessions({ records, now: clock.now })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  clock.advance(3000)
  expect((await sessions.read(credential))?.lastUsedAt).toBe(clock.now())
  await sessions.settled()
  clock.advance(3000)
  expect(await sessions.read(credential)).not.toBeNull()
})

test('peek extends no session, and returns what read returns', async () => {
  const clock = createClock()
  const { records, changes } = createRecordedStore(clock.now)
  const sessions = createSessions({ records, now: clock.now })
  const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
  for (let minutes = 0; minutes < 59; minutes++) {
    clock.advance(60)
    expect(await sessions.peek(credential)).toEqual(session)
  }
  await sessions.settled()
  expect(touches(changes)).toBe(0)
  for (const wrong of [null, '', `${credential}x`, 'se_nothing']) expect(await sessions.peek(wrong)).toBeNull()
  clock.advance(60)
  expect(await sessions.peek(credential)).toBeNull()
})

test('the response does not wait for a slow write', async () => {
  const clock = createClock()
  const gate = createGate()
  const records = wrapRecordStore(createRecordedStore(clock.now).records, async (method, run) => {
    if (method === 'touch') await gate.passed
    return run()
  })
  const sessions = createSessions({ records, now: clock.now })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  clock.advance(120)
  expect(await sessions.read(credential)).not.toBeNull()
  let isSettled = false
  const settled = sessions.settled().then(() => {
    isSettled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  gate.open()
  await settled
})

test('the write is passed to the platform of the request that it follows, once', async () => {
  const clock = createClock()
  const gate = createGate()
  const { records, changes } = createRecordedStore(clock.now)
  const slow = wrapRecordStore(records, async (method, run) => {
    if (method === 'touch') await gate.passed
    return run()
  })
  const sessions = createSessions({ records: slow, now: clock.now })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  const works: Promise<unknown>[] = []
  const platform = { works, waitUntil: (work: Promise<unknown>) => void platform.works.push(work) }
  await sessions.read(credential, platform)
  expect(works).toHaveLength(0)
  clock.advance(120)
  await sessions.read(credential, platform)
  await sessions.read(credential, platform)
  expect(works).toHaveLength(1)
  gate.open()
  await Promise.all(works)
  expect(touches(changes)).toBe(1)
})

test.each([
  ['rejects', () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))],
  [
    'throws at once',
    () => {
      throw new StoreError('STORE_UNAVAILABLE', 'down')
    },
  ],
])('a write that %s is an event and refuses no request', async (_what, fail) => {
  const clock = createClock()
  const events: SessionsEvent[] = []
  const inner = createRecordedStore(clock.now).records
  const sessions = createSessions({
    records: { ...inner, touch: fail },
    now: clock.now,
    onEvent: (event) => events.push(event),
  })
  const { credential, session } = (await sessions.create({ subject: 'acc_1', factors }))!
  clock.advance(120)
  expect(await sessions.read(credential)).not.toBeNull()
  await sessions.settled()
  expect(events.at(-1)).toMatchObject({
    type: 'session.touch-failed',
    at: clock.now(),
    sessionKey: session.key,
    accountId: 'acc_1',
    failure: 'STORE_UNAVAILABLE',
    cause: { message: 'down' },
  })
})

test.each([
  ['a code', Object.assign(new Error('acc_1 on db7'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  ['a sentence for a code', Object.assign(new Error('acc_1'), { code: 'no row for acc_1' }), 'Error'],
  ['a long code', Object.assign(new Error('acc_1'), { code: 'x'.repeat(65) }), 'Error'],
  ['a number for a code', Object.assign(new RangeError('acc_1'), { code: 1205 }), 'RangeError'],
  ['no code', new TypeError('acc_1'), 'TypeError'],
  ['a code without being an error', { code: 'secret_of_acc_1' }, 'unknown'],
  ['a text', 'secret_of_acc_1', 'unknown'],
  ['nothing', undefined, 'unknown'],
])('the event of a failure with %s holds only a code or a name', async (_what, error, failure) => {
  const clock = createClock()
  const events: SessionsEvent[] = []
  const inner = createRecordedStore(clock.now).records
  const records = { ...inner, touch: () => Promise.reject(error) }
  const sessions = createSessions({ records, now: clock.now, onEvent: (event) => events.push(event) })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  clock.advance(120)
  await sessions.read(credential)
  await sessions.settled()
  expect(events.at(-1)).toMatchObject({ type: 'session.touch-failed', failure })
  expect(events.at(-1)).toHaveProperty('cause', error)
  expect(JSON.stringify(events)).not.toMatch(/db7|secret_of|no row/)
})

test('a listener that throws refuses no request', async () => {
  const sessions = createSessions({
    records: createRecordedStore().records,
    onEvent: () => {
      throw new Error('the log is full')
    },
  })
  expect(await sessions.create({ subject: 'acc_1', factors })).not.toBeNull()
})

test('an outage is never read as signed out', async () => {
  const { records } = createRecordedStore()
  let isDown = false
  const sessions = createSessions({
    records: wrapRecordStore(records, async (_method, run) => {
      if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    }),
  })
  const { credential } = (await sessions.create({ subject: 'acc_1', factors }))!
  isDown = true
  await expect(sessions.read(credential)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
