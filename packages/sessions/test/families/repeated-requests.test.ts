import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, type RefreshTokensOptions, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
const factors = [{ kind: 'password', at: 0 }]
const [first, second] = ['a'.repeat(22), 'b'.repeat(22)]
const by = (idempotencyKey: string | null) => ({ clientId: 'web', idempotencyKey })

async function setUp(options: Partial<RefreshTokensOptions> = {}) {
  const clock = { time: 1_800_000_000_000 }
  const records = createMemoryRecordStore({ now: () => clock.time })
  const events: SessionsEvent[] = []
  const tokens = createRefreshTokens({ records, secrets, onEvent: (event) => void events.push(event), ...options })
  const issued = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
  const advance = (seconds: number) => {
    clock.time += seconds * 1000
  }
  return { tokens, records, events, advance, ...issued }
}

describe('a request with an idempotency key', () => {
  test.each([0, 9, 10, 600, 86_399])(
    'returns the same successor without a write when it is repeated after %d s',
    async (seconds) => {
      const { tokens, records, advance, token, family } = await setUp()
      const rotated = await tokens.redeem(token, by(first))
      const stored = await records.get(family.key)
      advance(seconds)
      const again = await tokens.redeem(token, by(first))
      expect(again).toMatchObject({ ok: true, replayed: true, token: rotated.ok && rotated.token })
      expect(await records.get(family.key)).toEqual(stored)
    },
  )

  test.each([
    ['with another key', second],
    ['without a key', null],
  ])('is answered within the grace when it is repeated %s, and later revokes the family', async (_how, key) => {
    const { tokens, advance, events, token, family } = await setUp()
    const rotated = await tokens.redeem(token, by(first))
    advance(9)
    expect(await tokens.redeem(token, by(key))).toMatchObject({ replayed: true, token: rotated.ok && rotated.token })
    advance(1)
    expect(await tokens.redeem(token, by(key))).toMatchObject({ ok: false, reason: 'reused' })
    expect(await tokens.read(family.key)).toBeNull()
    expect(events.filter(({ type }) => type === 'family.reused')).toHaveLength(1)
  })

  test('does not make an exchange repeatable that had none', async () => {
    const { tokens, advance, token } = await setUp()
    await tokens.redeem(token, by(null))
    advance(10)
    expect(await tokens.redeem(token, by(first))).toMatchObject({ ok: false, reason: 'reused' })
  })

  test('is not repeated after the successor was used: both then end', async () => {
    const { tokens, token } = await setUp()
    const rotated = await tokens.redeem(token, by(first))
    await tokens.redeem(rotated.ok ? rotated.token : null, by(second))
    expect(await tokens.redeem(token, by(first))).toMatchObject({ ok: false, reason: 'reused' })
  })

  test('is detected by the next use of the owner if a thief repeats it', async () => {
    const { tokens, advance, token, family } = await setUp()
    const owner = await tokens.redeem(token, by(first))
    advance(60)
    const thief = await tokens.redeem(token, by(first))
    expect(thief).toMatchObject({ ok: true, token: owner.ok && owner.token })
    await tokens.redeem(thief.ok ? thief.token : null, by('t'.repeat(22)))
    advance(60)
    expect(await tokens.redeem(owner.ok ? owner.token : null, by(second))).toMatchObject({
      ok: false,
      reason: 'reused',
    })
    expect(await tokens.read(family.key)).toBeNull()
  })

  test.each([
    [{ retrySeconds: 60 }, 59, true],
    [{ retrySeconds: 60 }, 60, false],
    [{ retrySeconds: 0 }, 9, true],
    [{ retrySeconds: 0 }, 10, false],
    [{ retrySeconds: 0, graceSeconds: 0 }, 0, false],
    [{ graceSeconds: 0 }, 60, true],
    [{ retrySeconds: 604_800 }, 604_799, true],
    [{}, 86_400, false],
  ])('is answered with %j after %d s: %s', async (options, seconds, isAnswered) => {
    const { tokens, advance, token } = await setUp(options)
    await tokens.redeem(token, by(first))
    advance(seconds)
    expect((await tokens.redeem(token, by(first))).ok).toBe(isAnswered)
  })

  test.each([-1, 604_801, Number.NaN])(
    'is refused a time of %d s when the tokens are created',
    async (retrySeconds) => {
      await expect(setUp({ retrySeconds })).rejects.toThrow(
        '"retrySeconds" must be a number of seconds from 0 to 604800',
      )
    },
  )

  test('is refused to another client or channel', async () => {
    const { tokens, advance, token, family } = await setUp()
    await tokens.redeem(token, by(first))
    advance(60)
    expect(await tokens.redeem(token, { ...by(first), clientId: 'other' })).toEqual({ ok: false, reason: 'client' })
    expect(await tokens.read(family.key)).not.toBeNull()
    expect(await tokens.redeem(token, { ...by(first), channel: 'native' })).toMatchObject({ reason: 'reused' })
  })

  test('is stored as a digest, and is in no event', async () => {
    const { tokens, records, events, token, family } = await setUp()
    await tokens.redeem(token, by(first))
    expect(JSON.stringify([await records.get(family.key), events])).not.toContain(first)
  })
})
