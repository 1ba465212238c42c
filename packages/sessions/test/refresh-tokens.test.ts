import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, type RefreshTokensOptions, type SessionsEvent } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock, createRecordedStore } from './test-stores.ts'

const factors = [{ kind: 'password', at: 1 }]
const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const web = { clientId: 'web' }

function setUp(options: Partial<RefreshTokensOptions> = {}) {
  const clock = createClock()
  const { records, changes, inserted } = createRecordedStore(clock.now)
  const events: SessionsEvent[] = []
  const base = { records, secrets, now: clock.now, onEvent: (event: SessionsEvent) => events.push(event) }
  const tokens = createRefreshTokens({ ...base, ...options })
  const issue = () => tokens.issue({ subject: 'acc_1', epoch: 2, clientId: 'web', factors })
  const redeem = async (token: string | null) => {
    const verdict = await tokens.redeem(token, web)
    if (!verdict.ok) throw new Error(verdict.reason)
    return verdict
  }
  const reuses = () => events.filter(({ type }) => type === 'family.reused')
  return { clock, records, changes, inserted, events, tokens, issue, redeem, reuses }
}

describe('a refresh token', () => {
  test('is redeemed for a successor of the same family', async () => {
    const { issue, redeem, clock } = setUp()
    const first = await issue()
    expect(first.token).toMatch(/^rt_[\w-]{22}\.[\w-]{64}$/)
    clock.advance(60)
    const second = await redeem(first.token)
    const third = await redeem(second.token)
    expect(new Set([first.token, second.token, third.token]).size).toBe(3)
    expect(third).toMatchObject({ ok: true, replayed: false })
    expect(third.family).toEqual({
      ...first.family,
      lastUsedAt: clock.now(),
      expiresAt: clock.now() + 2_592_000_000,
    })
    expect(third.family).toMatchObject({ subject: 'acc_1', epoch: 2, clientId: 'web', channel: 'cookie', factors })
  })

  test('is stored as digests, which cannot be presented', async () => {
    const { issue, redeem, records } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const stored = JSON.stringify(await records.get(first.family.key))
    for (const token of [first.token, second.token]) {
      const bytes = Buffer.from(token.split('.')[1]!, 'base64url')
      for (const part of [bytes, bytes.subarray(0, 16), bytes.subarray(16)]) {
        expect(stored).not.toContain(part.toString('base64url'))
        expect(stored).not.toContain(part.toString('hex'))
      }
    }
  })

  test('is valid for thirty days without use, and its family for ninety at most', async () => {
    const { issue, redeem, clock, tokens } = setUp()
    const day = 86_400
    const [used, unused] = [await issue(), await issue()]
    clock.advance(30 * day - 0.001)
    expect(await tokens.redeem(used.token, web)).toMatchObject({ ok: true })
    clock.advance(0.001)
    expect(await tokens.redeem(unused.token, web)).toEqual({ ok: false, reason: 'unknown' })
    let { token, family } = await issue()
    for (let days = 0; days < 87; days += 29) {
      clock.advance(29 * day)
      ;({ token, family } = await redeem(token))
    }
    expect(family.expiresAt).toBe(family.createdAt + 90 * day * 1000)
    clock.advance(3 * day - 0.001)
    expect(await tokens.read(family.key)).not.toBeNull()
    clock.advance(0.001)
    expect(await tokens.redeem(token, web)).toEqual({ ok: false, reason: 'unknown' })
    expect(await tokens.read(family.key)).toBeNull()
  })

  test('expires in time if the clock of the store is behind', async () => {
    const clock = createClock()
    const tokens = createRefreshTokens({ records: createMemoryRecordStore({ now: () => 0 }), secrets, now: clock.now })
    const { token } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    clock.advance(30 * 86_400)
    expect(await tokens.redeem(token, web)).toEqual({ ok: false, reason: 'unknown' })
  })
})

describe('the grace window', () => {
  test('returns the same successor again without a write', async () => {
    const { issue, redeem, changes, clock } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    changes.length = 0
    clock.advance(9.999)
    const again = await redeem(first.token)
    expect(again).toMatchObject({ token: second.token, replayed: true, family: second.family })
    expect(changes).toEqual([])
  })

  test('closes after ten seconds: then the old token revokes the family, with one event', async () => {
    const { issue, redeem, tokens, clock, reuses } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    clock.advance(10)
    expect(await tokens.redeem(first.token, web)).toMatchObject({ ok: false, reason: 'reused' })
    expect(await tokens.redeem(second.token, web)).toEqual({ ok: false, reason: 'unknown' })
    expect(await tokens.redeem(first.token, web)).toEqual({ ok: false, reason: 'unknown' })
    expect(reuses()).toMatchObject([
      { at: clock.now(), sessionKey: first.family.key, accountId: 'acc_1', clientId: 'web' },
    ])
  })

  test.each([0, 10])(
    'stays closed after %d s for a process whose clock is slightly behind the rotating process',
    async (graceSeconds) => {
      const clock = createClock()
      const records = createMemoryRecordStore({ now: clock.now })
      const tokens = createRefreshTokens({ records, secrets, graceSeconds })
      const behind = createRefreshTokens({ records, secrets, graceSeconds, now: () => clock.now() - 5 })
      const { token } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
      expect(await tokens.redeem(token, web)).toMatchObject({ ok: true })
      expect((await behind.redeem(token, web)).ok).toBe(graceSeconds > 0)
    },
  )

  test.each([
    [0, true],
    [9.999, true],
    [10, false],
    [600, false],
  ])(
    'decides about a device whose answer was lost in an outage of %d s: signed in is %s',
    async (outage, isSignedIn) => {
      const { issue, redeem, tokens, clock, changes } = setUp()
      const { token, family } = await issue()
      await redeem(token) // the answer never arrives
      clock.advance(outage)
      changes.length = 0
      const retried = await tokens.redeem(token, web)
      expect(retried.ok).toBe(isSignedIn)
      expect((await tokens.read(family.key)) !== null).toBe(isSignedIn)
      if (retried.ok) expect(changes).toEqual([])
      else expect(retried.reason).toBe('reused')
    },
  )

  test('goes by the clock of the store', async () => {
    const clock = createClock()
    const records = createMemoryRecordStore({ now: clock.now })
    const tokens = createRefreshTokens({ records, secrets })
    const { token } = await tokens.issue({ subject: 'acc_1', clientId: 'web', factors })
    const first = await tokens.redeem(token, web)
    clock.advance(9.999)
    expect(await tokens.redeem(token, web)).toMatchObject({ ok: true, replayed: true, token: first.ok && first.token })
    clock.advance(0.001)
    expect(await tokens.redeem(token, web)).toMatchObject({ ok: false, reason: 'reused' })
  })

  test('is closed early by the first use of the successor', async () => {
    const { issue, redeem, tokens } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const third = await redeem(second.token)
    expect(await tokens.redeem(first.token, web)).toMatchObject({ ok: false, reason: 'reused' })
    expect(await tokens.redeem(third.token, web)).toEqual({ ok: false, reason: 'unknown' })
  })

  test('can be zero', async () => {
    const { issue, redeem, tokens } = setUp({ graceSeconds: 0 })
    const first = await issue()
    await redeem(first.token)
    expect(await tokens.redeem(first.token, web)).toMatchObject({ ok: false, reason: 'reused' })
  })

  test('is closed on another channel: an old token is a copy there, and revokes the family', async () => {
    const { issue, redeem, tokens } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const asked = { clientId: 'web', channel: 'native' }
    expect(await tokens.redeem(first.token, asked)).toMatchObject({ ok: false, reason: 'reused' })
    expect(await tokens.redeem(second.token, web)).toEqual({ ok: false, reason: 'unknown' })
  })

  test('is not open to another client, which cannot end the family either, with a token of any age', async () => {
    const { issue, redeem, tokens, changes } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const third = await redeem(second.token)
    changes.length = 0
    for (const { token } of [first, second, third]) {
      expect(await tokens.redeem(token, { clientId: 'other' })).toEqual({ ok: false, reason: 'client' })
    }
    expect(changes).toEqual([])
    expect(await tokens.redeem(third.token, web)).toMatchObject({ ok: true, replayed: false })
  })

  test('needs the key that derived the successor, which may have been rotated since', async () => {
    const newer = { id: 'b', bytes: randomBytes(32) }
    const { issue, redeem, records, clock } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const rotated = createRefreshTokens({ records, now: clock.now, secrets: [newer, ...secrets] })
    expect(await rotated.redeem(first.token, web)).toMatchObject({ token: second.token, replayed: true })
    const impostor = createRefreshTokens({ records, now: clock.now, secrets: [{ ...newer, id: 'a' }] })
    expect(await impostor.redeem(first.token, web)).toMatchObject({ ok: false, reason: 'reused' })
  })

  test('is closed once the key that derived the successor was removed', async () => {
    const { issue, redeem, records, clock } = setUp()
    const first = await issue()
    await redeem(first.token)
    const retired = createRefreshTokens({ records, now: clock.now, secrets: [{ id: 'b', bytes: randomBytes(32) }] })
    expect(await retired.redeem(first.token, web)).toMatchObject({ ok: false, reason: 'reused' })
  })
})

describe('binding', () => {
  test.each([
    ['another client', { clientId: 'other' }, 'client'],
    ['another channel', { clientId: 'web', channel: 'native' }, 'channel'],
  ])('a token of %s is refused and unchanged', async (_what, asked, reason) => {
    const { issue, redeem, tokens, changes } = setUp()
    const { token } = await issue()
    changes.length = 0
    expect(await tokens.redeem(token, asked)).toEqual({ ok: false, reason })
    expect(changes).toEqual([])
    expect(await redeem(token)).toMatchObject({ ok: true })
  })
})

describe('a text that is not a token', () => {
  const splice = (token: string, from: number, bytes: Uint8Array) => {
    const [key, rest] = token.split('.') as [string, string]
    const whole = Buffer.from(rest, 'base64url')
    whole.set(bytes, from)
    return `${key}.${whole.toString('base64url')}`
  }
  const forms: [string, (good: string) => string | null][] = [
    ['nothing', () => null],
    ['an empty text', () => ''],
    ['garbage under a known key', (good) => splice(good, 0, randomBytes(48))],
    ['a known secret under another lineage', (good) => splice(good, 0, randomBytes(16))],
    ['a truncated one', (good) => good.slice(0, -1)],
    ['a longer one', (good) => `${good}AAAA`],
    ['one of another kind', (good) => good.replace('rt_', 'se_')],
    ['two of them', (good) => `${good};${good}`],
    ['padding', (good) => `${good}=`],
    ['a megabyte', (good) => good + 'A'.repeat(1_000_000)],
    ['a lone surrogate', (good) => `${good.slice(0, -1)}\udfff`],
    ['a full-width dot', (good) => good.replace('.', '．')],
  ]
  test.each(forms)('%s is refused and revokes no family', async (_what, spoil) => {
    const { issue, redeem, tokens, changes, events } = setUp()
    const { token } = await issue()
    changes.length = 0
    events.length = 0
    expect(await tokens.redeem(spoil(token), web)).toEqual({ ok: false, reason: 'unknown' })
    expect(await tokens.identify(spoil(token))).toBeNull()
    expect(changes).toEqual([])
    expect(events).toEqual([])
    expect(await redeem(token)).toMatchObject({ ok: true })
  })

  test('is a reuse with the right lineage and an unknown secret, and revokes the family', async () => {
    const { issue, tokens, reuses } = setUp()
    const { token } = await issue()
    expect(await tokens.redeem(splice(token, 16, randomBytes(32)), web)).toMatchObject({ ok: false, reason: 'reused' })
    expect(reuses()).toHaveLength(1)
    expect(await tokens.redeem(token, web)).toEqual({ ok: false, reason: 'unknown' })
  })

  test('with the right lineage and an unknown secret identifies no family, and revokes none', async () => {
    const { issue, redeem, tokens } = setUp()
    const { token, family } = await issue()
    expect((await tokens.identify(token))?.key).toBe(family.key)
    expect(await tokens.identify(splice(token, 16, randomBytes(32)))).toBeNull()
    expect(await redeem(token)).toMatchObject({ ok: true })
  })
})

describe('a family', () => {
  test('can be read by its key until it is revoked', async () => {
    const { issue, tokens } = setUp()
    const { family } = await issue()
    expect(await tokens.read(family.key)).toEqual(family)
    expect(await tokens.revoke(family.key)).toBe(true)
    expect(await tokens.revoke(family.key)).toBe(false)
    expect(await tokens.read(family.key)).toBeNull()
  })

  test.each(['', 'se_AAAAAAAAAAAAAAAAAAAAAA', '__proto__'])('is not found by %j', async (key) => {
    const { tokens, changes } = setUp()
    expect(await tokens.read(key)).toBeNull()
    expect(await tokens.revoke(key)).toBe(false)
    expect(changes).toEqual([])
  })

  test('is identified by its newest token and the previous one, and by no older one', async () => {
    const { issue, redeem, tokens, changes, clock } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    clock.advance(3600)
    const third = await redeem(second.token)
    clock.advance(3600)
    changes.length = 0
    expect((await tokens.identify(third.token))?.key).toBe(first.family.key)
    expect((await tokens.identify(second.token))?.key).toBe(first.family.key)
    expect(await tokens.identify(first.token)).toBeNull()
    expect(changes).toEqual([])
  })

  test('is identified only by redeemable tokens if the option requires it', async () => {
    const { issue, redeem, tokens, changes, clock } = setUp()
    const first = await issue()
    const second = await redeem(first.token)
    const identify = async (token: string) => (await tokens.identify(token, { redeemable: true }))?.key ?? null
    changes.length = 0
    expect(await identify(first.token)).toBe(first.family.key)
    expect(await identify(second.token)).toBe(first.family.key)
    clock.advance(10)
    expect(await identify(first.token)).toBeNull()
    expect(await identify(second.token)).toBe(first.family.key)
    expect(changes).toEqual([])
    expect(await redeem(second.token)).toMatchObject({ ok: true })
  })

  test('belongs to an account: a record without an owner is not a family', async () => {
    const { issue, tokens, records, clock } = setUp()
    const { token, family } = await issue()
    const { value } = (await records.get(family.key))!
    await records.remove(family.key)
    await records.insert({ key: family.key, owner: null, expiresAt: clock.now() + 60_000, value })
    expect(await tokens.read(family.key)).toBeNull()
    expect(await tokens.redeem(token, web)).toEqual({ ok: false, reason: 'unknown' })
  })

  test('expires at its overall limit even if the store keeps its record for longer', async () => {
    const { issue, tokens, records, clock } = setUp()
    const { token, family } = await issue()
    const record = (await records.get(family.key))!
    await records.replace(record, { value: record.value, expiresAt: family.endsAt + 3_600_000 })
    clock.advance((family.endsAt - clock.now()) / 1000 - 0.001)
    expect(await tokens.read(family.key)).not.toBeNull()
    clock.advance(0.001)
    expect(await tokens.read(family.key)).toBeNull()
    expect(await tokens.redeem(token, web)).toEqual({ ok: false, reason: 'unknown' })
  })

  test('is moved to a new epoch and never back', async () => {
    const { issue, redeem, tokens, changes, events } = setUp()
    const { token, family } = await issue()
    expect(await tokens.renew(family, { epoch: 3 })).toBe(true)
    const [written, said] = [[...changes], [...events]]
    expect(await tokens.renew(family, { epoch: 3 })).toBe(true)
    expect(await tokens.renew(family, { epoch: 2 })).toBe(false)
    expect([changes, events]).toEqual([written, said])
    expect(await redeem(token)).toMatchObject({ family: { epoch: 3 } })
    await tokens.revoke(family.key)
    expect(await tokens.renew(family, { epoch: 4 })).toBe(false)
  })
})

test('a family without a subject is a TypeError', async () => {
  const { tokens, changes } = setUp()
  await expect(tokens.issue({ subject: '', clientId: 'web', factors })).rejects.toThrow(TypeError)
  expect(changes).toEqual([])
})
