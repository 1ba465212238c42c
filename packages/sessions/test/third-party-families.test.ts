import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const grant = { scopes: ['openid', 'articles:read'], grant: 'gr_1', keyBinding: 'thumb-a' }
const spa = { subject: 'acc_1', clientId: 'demo-spa', factors: [] }

function setUp({ graceSeconds = 10 } = {}) {
  const { now, advance } = createClock()
  const records = createMemoryRecordStore({ now })
  return { records, now, advance, tokens: createRefreshTokens({ records, secrets, now, graceSeconds }) }
}

describe('a family that was given to a client of others', () => {
  test('carries its scopes, its grant and its key over every rotation', async () => {
    const { tokens } = setUp()
    const { token, family } = await tokens.issue({ ...spa, ...grant })
    expect(family).toMatchObject({ clientId: 'demo-spa', ...grant })
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })
    expect(verdict).toMatchObject({ ok: true, family: { clientId: 'demo-spa', ...grant } })
    expect(await tokens.read(family.key)).toMatchObject(grant)
  })

  test.each([
    ['without a key', {}],
    ['with another key', { keyBinding: 'thumb-b' }],
  ])('is not renewed %s if it is bound to a key, and stays unchanged', async (_title, shown) => {
    const { tokens } = setUp()
    const { token } = await tokens.issue({ ...spa, ...grant })
    const refused = await tokens.redeem(token, { clientId: 'demo-spa', ...shown })
    expect(refused).toEqual({ ok: false, reason: 'key' })
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })
    expect(verdict).toMatchObject({ ok: true, replayed: false })
  })

  test('is renewed with a key too if it is not bound to a key', async () => {
    const { tokens } = setUp()
    const { token } = await tokens.issue({ ...spa, scopes: ['openid'] })
    expect(await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })).toMatchObject({ ok: true })
  })
})

describe('a family that is bound to a key', () => {
  const holder = { clientId: 'demo-spa', keyBinding: 'thumb-a' }

  test('repeats its successor at any time until that is used, and refuses a copy of the token', async () => {
    const { tokens, advance } = setUp()
    const { token, family } = await tokens.issue({ ...spa, ...grant })
    const first = await tokens.redeem(token, holder)
    advance(86_400)
    const repeated = await tokens.redeem(token, holder)
    expect(repeated).toMatchObject({ ok: true, replayed: true, token: first.ok && first.token })
    expect(await tokens.redeem(repeated.ok ? repeated.token : null, holder)).toMatchObject({ ok: true })
    expect(await tokens.redeem(token, holder)).toMatchObject({ ok: false, reason: 'reused' })
    expect(await tokens.read(family.key)).toBeNull()
  })

  test('is not revoked by an old token without its key', async () => {
    const { tokens } = setUp()
    const { token } = await tokens.issue({ ...spa, ...grant })
    const first = await tokens.redeem(token, holder)
    const second = await tokens.redeem(first.ok ? first.token : null, holder)
    for (const keyBinding of [null, 'thumb-b']) {
      const refused = await tokens.redeem(token, { clientId: 'demo-spa', keyBinding })
      expect(refused).toEqual({ ok: false, reason: 'key' })
    }
    expect(await tokens.redeem(second.ok ? second.token : null, holder)).toMatchObject({ ok: true, replayed: false })
  })

  test('does not repeat without a grace', async () => {
    const { tokens } = setUp({ graceSeconds: 0 })
    const { token } = await tokens.issue({ ...spa, ...grant })
    await tokens.redeem(token, holder)
    expect(await tokens.redeem(token, holder)).toMatchObject({ ok: false, reason: 'reused' })
  })
})

describe('the families of a browser session', () => {
  const given = { ...spa, session: 's_1' }

  test('end with it, and no other does', async () => {
    const { records, now, tokens } = setUp()
    const ended = [await tokens.issue(given), await tokens.issue(given)]
    const others = [await tokens.issue(spa), await tokens.issue({ ...spa, session: 's_2' })]
    // Other records of the account, one of them no family at all, are passed over.
    await createSessions({ records, now }).create({ subject: 'acc_1', factors: [] })
    expect(await tokens.revokeBySession('acc_1', 's_1')).toBe(2)
    for (const { family } of ended) expect(await tokens.read(family.key)).toBeNull()
    for (const { family } of others) expect(await tokens.read(family.key)).not.toBeNull()
  })

  test('are counted once, however many end them at once', async () => {
    const { tokens } = setUp()
    for (let count = 0; count < 5; count++) await tokens.issue(given)
    const counts = await Promise.all(Array.from({ length: 20 }, () => tokens.revokeBySession('acc_1', 's_1')))
    expect(counts.reduce((sum, count) => sum + count)).toBe(5)
  })
})

describe('a family', () => {
  test('keeps its proofs when it is renewed or replaced without others', async () => {
    const { tokens } = setUp()
    const factors = [{ kind: 'password', at: 1 }]
    const { family } = await tokens.issue({ ...spa, factors })
    expect(await tokens.renew(family, { epoch: 1 })).toBe(true)
    const renewed = (await tokens.read(family.key))!
    expect(renewed.factors).toEqual(factors)
    const next = await tokens.regenerate(renewed, { epoch: 2 })
    expect(next?.family.factors).toEqual(factors)
  })

  test('is expired for a process whose clock is past its idle limit, though the store still has it', async () => {
    const { records, now } = setUp()
    let ahead = 0
    const tokens = createRefreshTokens({ records, secrets, now: () => now() + ahead })
    const { family } = await tokens.issue(spa)
    ahead = 30 * 86_400_000 - 1
    expect(await tokens.read(family.key)).not.toBeNull()
    ahead += 1
    expect(await tokens.read(family.key)).toBeNull()
  })

  test('is frozen, because several callers share it', async () => {
    const { tokens } = setUp()
    const issued = await tokens.issue({ ...spa, ...grant, factors: [{ kind: 'password', at: 1 }], resources: ['a'] })
    const family = (await tokens.read(issued.family.key))!
    const { factors, device, scopes, resources } = family
    for (const shared of [factors, factors[0], device, scopes, resources]) expect(Object.isFrozen(shared)).toBe(true)
  })

  test('is a named outage if its resources are not a list', async () => {
    const { records, tokens } = setUp()
    const { family } = await tokens.issue(spa)
    const record = (await records.get(family.key))!
    const value = JSON.stringify({ ...JSON.parse(record.value), resources: 'all' })
    await records.replace(record, { value, expiresAt: record.expiresAt })
    await expect(tokens.read(family.key)).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
  })

  test('of the service itself has the reserved client id', () => {
    expect(firstPartyClientId).toBe('first-party')
  })
})

describe('a family for something that works once', () => {
  test('has its key announced before it is stored, and is stored under that', async () => {
    const { tokens } = setUp()
    const announced: unknown[] = []
    const issued = await tokens.issueOnce(spa, async (key) => {
      announced.push(key, await tokens.read(key))
      return true
    })
    expect(announced).toEqual([issued?.family.key, null])
    expect(await tokens.read(issued?.family.key ?? '')).toMatchObject({ subject: 'acc_1' })
  })

  test('is not stored where its key was not accepted', async () => {
    const { tokens, records } = setUp()
    expect(await tokens.issueOnce(spa, async () => false)).toBeNull()
    expect((await records.listByOwner('acc_1')).items).toEqual([])
  })
})

describe('a family that was issued in a session', () => {
  test('ends with that session, and with no other one', async () => {
    const { tokens } = setUp()
    const bound = await tokens.issue({ ...spa, session: 'se_1' })
    const others = [{ session: 'se_2' }, { session: null }, {}]
    const kept = await Promise.all(others.map((other) => tokens.issue({ ...spa, ...other })))
    const foreign = await tokens.issue({ ...spa, subject: 'acc_2', session: 'se_1' })
    expect(await tokens.revokeBySession('acc_1', 'se_1')).toBe(1)
    expect(await tokens.read(bound.family.key)).toBeNull()
    for (const { family } of [...kept, foreign]) expect(await tokens.read(family.key)).not.toBeNull()
    expect(await tokens.revokeBySession('acc_1', 'se_1')).toBe(0)
  })

  test('ends with it when there are more families than a page of the store has', async () => {
    const { tokens } = setUp()
    for (let made = 0; made < 120; made++) await tokens.issue({ ...spa, session: 'se_1' })
    expect(await tokens.revokeBySession('acc_1', 'se_1')).toBe(120)
  })

  test('remembers it through every rotation and regeneration', async () => {
    const { tokens } = setUp()
    const { token, family } = await tokens.issue({ ...spa, session: 'se_1' })
    expect(family.session).toBe('se_1')
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa' })
    if (!verdict.ok) throw new Error(verdict.reason)
    const next = await tokens.regenerate(verdict.family, { epoch: 1 })
    expect(next?.family.session).toBe('se_1')
    expect(await tokens.revokeBySession('acc_1', 'se_1')).toBe(1)
  })

  test('remembers the session even if it outlives it, through every rotation and regeneration', async () => {
    const { tokens, records } = setUp()
    const { token, family } = await tokens.issue({ ...spa, givenIn: 'se_1' })
    expect([family.session, family.givenIn]).toEqual([null, 'se_1'])
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa' })
    if (!verdict.ok) throw new Error(verdict.reason)
    const next = await tokens.regenerate(verdict.family, { epoch: 1 })
    expect([next?.family.session, next?.family.givenIn]).toEqual([null, 'se_1'])
    expect(await tokens.revokeBySession('acc_1', 'se_1')).toBe(0)
    const record = (await records.get(next?.family.key ?? ''))!
    const value = JSON.stringify({ ...JSON.parse(record.value), givenIn: 1 })
    await records.replace(record, { value, expiresAt: record.expiresAt })
    await expect(tokens.read(record.key)).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
  })

  test.each([
    ['the session that it expires with', { session: 'se_1' }, 'se_1'],
    ['no session', {}, null],
    ['the session that it expires with, named twice', { session: 'se_1', givenIn: 'se_1' }, 'se_1'],
    ['null for no session', { givenIn: null }, null],
    ['the session that it expires with, and null', { session: 'se_1', givenIn: null }, 'se_1'],
  ])('stores its session once, with %s', async (_which, input, givenIn) => {
    const { tokens, records } = setUp()
    const { family } = await tokens.issue({ ...spa, ...input })
    expect((await tokens.read(family.key))?.givenIn).toBe(givenIn)
    expect(JSON.parse((await records.get(family.key))?.value ?? '')).not.toHaveProperty('givenIn')
  })

  test('remembers the resources that it was issued for, and has none by default', async () => {
    const { tokens, records } = setUp()
    const resources = ['https://api.example.com/']
    const { token, family } = await tokens.issue({ ...spa, resources })
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa' })
    if (!verdict.ok) throw new Error(verdict.reason)
    const next = await tokens.regenerate(verdict.family, { epoch: 1 })
    for (const one of [family, verdict.family, next?.family]) expect(one?.resources).toEqual(resources)
    const without = await tokens.issue(spa)
    expect(without.family.resources).toEqual([])
    expect(JSON.parse((await records.get(without.family.key))?.value ?? '')).not.toHaveProperty('resources')
  })

  test.each([
    ['a number', 1],
    ['null', null],
  ])(
    'is an outage if the stored session is %s, and is not read as a family without a session',
    async (_what, session) => {
      const { tokens, records } = setUp()
      const { family } = await tokens.issue({ ...spa, session: 'se_1' })
      const record = await records.get(family.key)
      if (!record) throw new Error('no record')
      const value = JSON.stringify({ ...JSON.parse(record.value), session })
      await records.replace(record, { value, expiresAt: record.expiresAt })
      await expect(tokens.read(family.key)).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
    },
  )
})

test('a family expires at its given instant, whatever the limits of other families', async () => {
  const { tokens, now, advance } = setUp()
  const { token, family } = await tokens.issue({ ...spa, endsAt: now() + 900_000 })
  expect(family).toMatchObject({ endsAt: now() + 900_000, expiresAt: now() + 900_000 })
  advance(899.999)
  const verdict = await tokens.redeem(token, { clientId: 'demo-spa' })
  expect(verdict).toMatchObject({ ok: true, family: { expiresAt: family.endsAt } })
  advance(0.001)
  expect(await tokens.read(family.key)).toBeNull()
})

test('a family with a grant is not stored as long as processes may read it that would take it for a family without', async () => {
  const { now } = createClock()
  const records = createMemoryRecordStore({ now })
  const tokens = createRefreshTokens({ records, secrets, now, storedVersion: () => 1 })
  for (const [name, value] of Object.entries(grant)) {
    await expect(tokens.issue({ ...spa, [name]: value })).rejects.toMatchObject({ code: 'STORE_DATA_OLDER' })
  }
  expect((await records.listByOwner('acc_1')).items).toEqual([])
  expect(await tokens.issue(spa)).toMatchObject({ family: { scopes: null } })
})

describe('the client id of the service itself', () => {
  test.each(Object.entries(grant))('is reserved: a family of it has no "%s"', async (name, value) => {
    const { tokens, records } = setUp()
    const issuing = tokens.issue({ ...spa, clientId: firstPartyClientId, [name]: value })
    await expect(issuing).rejects.toThrow(TypeError)
    await expect(issuing).rejects.toThrow('"clientId"')
    expect((await records.listByOwner('acc_1')).items).toEqual([])
  })

  test('issues a family without a grant, as every family was before there were grants', async () => {
    const { tokens } = setUp()
    const { token, family } = await tokens.issue({ ...spa, clientId: firstPartyClientId })
    expect(family).toMatchObject({ scopes: null, grant: null, keyBinding: null })
    expect(await tokens.redeem(token, { clientId: firstPartyClientId })).toMatchObject({ ok: true })
  })
})
