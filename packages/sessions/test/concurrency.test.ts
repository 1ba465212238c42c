import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, createSessions, type Session, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createDelayedRecordStore, createGate, wrapRecordStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const web = { clientId: 'web' }
/** Runs a race forty times with different delays. */
const race = (run: () => Promise<void>) => async () => {
  for (let round = 0; round < 40; round++) await run()
}

function setUp(options: { graceSeconds?: number } = {}) {
  const records = createDelayedRecordStore()
  const events: SessionsEvent[] = []
  const onEvent = (event: SessionsEvent) => events.push(event)
  const sessions = createSessions({ records, touchIntervalSeconds: 0 })
  const tokens = createRefreshTokens({ records, secrets, onEvent, ...options })
  const issue = () => tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  const open = async () => (await sessions.create({ subject: 'acc_1', factors }))!
  return { records, events, sessions, tokens, issue, open }
}

describe('twenty requests with one refresh token', () => {
  test('return the same successor within the grace window', async () => {
    const { tokens, issue, events } = setUp()
    const { token, family } = await issue()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => tokens.redeem(token, web)))
    const successors = new Set(verdicts.map((verdict) => (verdict.ok ? verdict.token : verdict.reason)))
    expect(successors.size).toBe(1)
    expect(verdicts.filter((verdict) => verdict.ok && !verdict.replayed)).toHaveLength(1)
    expect(events.some(({ type }) => type === 'family.reused')).toBe(false)
    expect(await tokens.redeem([...successors][0]!, web)).toMatchObject({ ok: true, family: { key: family.key } })
  })

  test('have one winner without the grace window, and the copies revoke the family', async () => {
    const { tokens, issue, events } = setUp({ graceSeconds: 0 })
    const { token } = await issue()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => tokens.redeem(token, web)))
    const winners = verdicts.filter((verdict) => verdict.ok)
    expect(winners).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'family.reused')).toHaveLength(1)
    expect(verdicts.filter((verdict) => 'family' in verdict && !verdict.ok && verdict.family)).toHaveLength(1)
    for (const verdict of verdicts) if (!verdict.ok) expect(['reused', 'unknown']).toContain(verdict.reason)
    const winner = winners[0]!
    expect(await tokens.redeem(winner.ok ? winner.token : '', web)).toEqual({ ok: false, reason: 'unknown' })
  })
})

test('a stolen token and its owner cannot both continue', async () => {
  const { tokens, issue } = setUp({ graceSeconds: 0 })
  const { token } = await issue()
  const [owner, thief] = await Promise.all([tokens.redeem(token, web), tokens.redeem(token, web)])
  const next = await Promise.all([owner, thief].map((verdict) => tokens.redeem(verdict.ok ? verdict.token : null, web)))
  expect(next.every((verdict) => !verdict.ok)).toBe(true)
})

test(
  'a new epoch and a refresh at once both take effect',
  race(async () => {
    const { tokens, issue } = setUp()
    const { token, family } = await issue()
    const [renewed, verdict] = await Promise.all([tokens.renew(family, { epoch: 1 }), tokens.redeem(token, web)])
    expect(renewed).toBe(true)
    expect(verdict.ok).toBe(true)
    expect(await tokens.redeem(verdict.ok ? verdict.token : null, web)).toMatchObject({
      ok: true,
      family: { epoch: 1 },
    })
  }),
)

describe('a revocation', () => {
  test(
    'is not undone by a refresh under way',
    race(async () => {
      const { tokens, sessions, issue } = setUp()
      const { token, family } = await issue()
      const [verdict] = await Promise.all([tokens.redeem(token, web), sessions.revokeAll('acc_1')])
      expect(await tokens.redeem(verdict.ok ? verdict.token : token, web)).toEqual({ ok: false, reason: 'unknown' })
      expect(await tokens.read(family.key)).toBeNull()
      expect(await sessions.list('acc_1')).toEqual([])
    }),
  )

  test(
    'is not undone by a use under way',
    race(async () => {
      const { sessions, open } = setUp()
      const { credential, session } = await open()
      await Promise.all([
        sessions.read(credential),
        sessions.revoke('acc_1', session.key),
        sessions.read(credential),
        sessions.read(credential),
      ])
      await sessions.settled()
      expect(await sessions.read(credential)).toBeNull()
      expect(await sessions.list('acc_1')).toEqual([])
    }),
  )

  test(
    'of all sessions is not outrun by a replacement under way',
    race(async () => {
      const { sessions, open } = setUp()
      const { session } = await open()
      const [issued] = await Promise.all([
        sessions.create({ subject: 'acc_1', factors, replaces: session }),
        sessions.revokeAll('acc_1'),
      ])
      // What began after both removals is a new sign-in, which the epoch decides about.
      if (issued) expect(await sessions.read(issued.credential)).toBeNull()
      expect(await sessions.list('acc_1')).toEqual([])
    }),
  )

  test(
    'of one session leaves at most its earlier replacement',
    race(async () => {
      const { sessions, open } = setUp()
      const { session } = await open()
      const [issued, revoked] = await Promise.all([
        sessions.create({ subject: 'acc_1', factors, replaces: session }),
        sessions.revoke('acc_1', session.key),
      ])
      expect(revoked).toBe(issued === null)
      expect(await sessions.list('acc_1')).toHaveLength(revoked ? 0 : 1)
    }),
  )
})

test('a replacement that is stored while everything is removed is removed too', async () => {
  // The store reads the owner's records, then a session is replaced, then the store removes what it had read.
  const memory = createMemoryRecordStore()
  const looked = createGate()
  const replaced = createGate()
  let calls = 0
  const records = wrapRecordStore(memory, async (method, run) => {
    if (method !== 'removeByOwner' || calls++ > 0) return run()
    const { items } = await memory.listByOwner('acc_1')
    looked.open()
    await replaced.passed
    return (await Promise.all(items.map(({ key }) => memory.remove(key)))).filter(Boolean).length
  })
  const sessions = createSessions({ records })
  const { session } = (await sessions.create({ subject: 'acc_1', factors }))!
  const revocation = sessions.revokeAll('acc_1')
  await looked.passed
  const issued = await sessions.create({ subject: 'acc_1', factors, replaces: session })
  replaced.open()
  await revocation
  expect(await sessions.read(issued?.credential ?? null)).toBeNull()
  expect(await sessions.list('acc_1')).toEqual([])
})

test('a hundred sign-ins at once are all listed, and all removed when everything is revoked', async () => {
  const { sessions, open } = setUp()
  const issued = await Promise.all(Array.from({ length: 100 }, open))
  const listed = new Set((await sessions.list('acc_1')).map(({ key }) => key))
  expect(listed).toEqual(new Set(issued.map(({ session }: { session: Session }) => session.key)))
  expect(await sessions.revokeAll('acc_1')).toBe(100)
  const read = await Promise.all(issued.map(({ credential }) => sessions.read(credential)))
  expect(read.every((session) => session === null)).toBe(true)
  expect(await sessions.list('acc_1')).toEqual([])
})

test('a wrong secret with a known key revokes no session, however often it is tried', async () => {
  const { tokens, sessions, issue, open } = setUp()
  const { token, family } = await issue()
  const { credential, session } = await open()
  const guess = (key: string, length: number) => `${key}.${Buffer.from(randomBytes(length)).toString('base64url')}`
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      await tokens.redeem(guess(family.key, 48), web)
      await sessions.read(guess(session.key, 32))
    }),
  )
  expect(await sessions.read(credential)).not.toBeNull()
  expect(await tokens.redeem(token, web)).toMatchObject({ ok: true, replayed: false })
})
