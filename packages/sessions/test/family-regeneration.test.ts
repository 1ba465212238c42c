import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import type { RefreshTokens } from '@latchkey/sessions'
import { createRefreshTokens, createSessions, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const password = { kind: 'password', at: 1 }
const totp = { kind: 'totp', at: 2, category: 'have' } as const
const input = {
  subject: 'acc_1',
  epoch: 2,
  clientId: 'demo-spa',
  scopes: ['openid'],
  grant: 'gr_1',
  keyBinding: 'thumb-a',
  channel: 'native',
  factors: [password],
  device: { userAgent: 'Firefox', address: '192.0.2.1' },
} satisfies Parameters<RefreshTokens['issue']>[0]
const presenter = { clientId: 'demo-spa', channel: 'native', keyBinding: 'thumb-a' }

function setUp(around: (records: RecordStore) => Partial<RecordStore> = () => ({})) {
  const clock = createClock()
  const memory = createMemoryRecordStore({ now: clock.now })
  const events: SessionsEvent[] = []
  const records = { ...memory, ...around(memory) }
  const tokens = createRefreshTokens({ records, secrets, now: clock.now, onEvent: (event) => events.push(event) })
  return { clock, memory, events, tokens }
}

describe('a family that is regenerated', () => {
  test('continues under a new key with newer proofs, and its old tokens are invalid at once', async () => {
    const { clock, memory, tokens } = setUp()
    const old = await tokens.issue(input)
    clock.advance(60)
    const again = { kind: 'password', at: clock.now() }
    const issued = await tokens.regenerate(old.family, { epoch: 3, factors: [totp, again] })
    const { subject: _subject, ...kept } = input
    expect(issued?.family).toMatchObject({ ...kept, subject: 'acc_1', epoch: 3, factors: [totp, again] })
    expect(issued?.family.key).not.toBe(old.family.key)
    expect(issued?.family.endsAt).toBe(old.family.endsAt)
    expect(await tokens.read(old.family.key)).toBeNull()
    expect(await tokens.redeem(old.token, presenter)).toEqual({ ok: false, reason: 'unknown' })
    expect(await tokens.redeem(issued?.token ?? null, presenter)).toMatchObject({ ok: true })
    expect((await memory.listByOwner('acc_1')).items.map(({ key }) => key)).toEqual([issued?.family.key])
  })

  test('continues under the lineage of the first family, which reads and lists return, and renewals keep', async () => {
    const { clock, memory, tokens } = setUp()
    const first = await tokens.issue(input)
    expect(first.family.lineage).toBe(first.family.key)
    expect(JSON.parse((await memory.get(first.family.key))?.value ?? '')).not.toHaveProperty('lineage')
    const second = await tokens.regenerate(first.family, { epoch: 2 })
    const third = second && (await tokens.regenerate(second.family, { epoch: 2 }))
    if (!third) throw new Error('it was not regenerated')
    await tokens.renew(third.family, { epoch: 3 })
    const next = await tokens.redeem(third.token, presenter)
    const { key } = third.family
    const lineage = first.family.key
    expect(next).toMatchObject({ ok: true, family: { key, lineage, epoch: 3 } })
    expect(await tokens.read(key)).toMatchObject({ key, lineage })
    const sessions = createSessions({ records: memory, now: clock.now })
    expect(await sessions.find('acc_1', key)).toMatchObject({ key, lineage })
  })

  test('stays if beforeRevocation rejects, and leaves no new family', async () => {
    const { memory, tokens } = setUp()
    const { family } = await tokens.issue(input)
    const keys = async () => (await memory.listByOwner('acc_1')).items.map(({ key }) => key)
    const beforeRevocation = async () => {
      expect(await keys()).toHaveLength(2)
      throw new Error('connection refused')
    }
    await expect(tokens.regenerate(family, { epoch: 2 }, { beforeRevocation })).rejects.toThrow('connection refused')
    expect(await keys()).toEqual([family.key])
  })

  test('keeps its proofs without newer proofs', async () => {
    const { tokens } = setUp()
    const { family } = await tokens.issue(input)
    expect((await tokens.regenerate(family, { epoch: 2 }))?.family.factors).toEqual([password])
  })

  test('is not brought back when it was revoked in between', async () => {
    const { memory, tokens } = setUp()
    const { family } = await tokens.issue(input)
    await tokens.revoke(family.key)
    expect(await tokens.regenerate(family, { epoch: 2 })).toBeNull()
    expect((await memory.listByOwner('acc_1')).items).toEqual([])
  })

  test('twice at the same time continues as one family', async () => {
    const { memory, tokens } = setUp()
    const { family } = await tokens.issue(input)
    const both = await Promise.all([tokens.regenerate(family, { epoch: 2 }), tokens.regenerate(family, { epoch: 2 })])
    const winners = both.flatMap((issued) => issued?.family.key ?? [])
    expect(winners).toHaveLength(1)
    expect((await memory.listByOwner('acc_1')).items.map(({ key }) => key)).toEqual(winners)
  })

  test('leaves no new family if the store fails before the old family is removed', async () => {
    let failing: string | null = null
    const { memory, tokens } = setUp((records) => ({
      async remove(key) {
        if (key === failing) throw new Error('connection refused')
        return records.remove(key)
      },
    }))
    const { family } = await tokens.issue(input)
    failing = family.key
    await expect(tokens.regenerate(family, { epoch: 2 })).rejects.toThrow('connection refused')
    expect((await memory.listByOwner('acc_1')).items.map(({ key }) => key)).toEqual([family.key])
  })

  test('may have expired in between', async () => {
    const { clock, tokens } = setUp()
    const { family } = await tokens.issue(input)
    clock.advance(2_592_000)
    expect(await tokens.regenerate(family, { epoch: 2 })).not.toBeNull()
  })
})

describe('a family that is renewed', () => {
  test('keeps its key and its tokens, and has what was proven since', async () => {
    const { tokens, events } = setUp()
    const { token, family } = await tokens.issue(input)
    expect(await tokens.renew(family, { epoch: 2, factors: [totp] })).toBe(true)
    expect(await tokens.read(family.key)).toMatchObject({ epoch: 2, factors: [password, totp] })
    expect(await tokens.redeem(token, presenter)).toMatchObject({ ok: true })
    expect(events.map(({ type }) => type)).toEqual(['family.created', 'family.renewed', 'family.refreshed'])
  })

  test('is not written without a change', async () => {
    const { tokens, events } = setUp()
    const { family } = await tokens.issue(input)
    expect(await tokens.renew(family, { epoch: 2 })).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(['family.created'])
  })

  test('loses the proofs that count no longer, at the epoch that it has, too', async () => {
    const { tokens } = setUp()
    const { family } = await tokens.issue(input)
    await tokens.renew(family, { epoch: 2, factors: [totp] })
    expect(await tokens.renew(family, { epoch: 2, without: ['totp'] })).toBe(true)
    expect((await tokens.read(family.key))?.factors).toEqual([password])
    const issued = await tokens.regenerate(family, { epoch: 2, factors: [totp], without: ['password'] })
    expect(issued?.family.factors).toEqual([totp])
  })

  test('gets no proofs at an earlier epoch than its own', async () => {
    const { tokens } = setUp()
    const { family } = await tokens.issue(input)
    expect(await tokens.renew(family, { epoch: 1, factors: [totp] })).toBe(false)
    expect((await tokens.read(family.key))?.factors).toEqual([password])
  })
})
