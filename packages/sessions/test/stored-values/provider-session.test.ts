import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const at = 1_790_000_000_000
const secrets = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }] as const
const client = { clientId: 'first-party', channel: 'native' }
const factors = [{ kind: 'provider', at, category: 'know' }] as const
const provider = { issuer: 'https://id.example.com', subject: '42', sid: 's1' }

function setUp() {
  const options = { records: createMemoryRecordStore({ now: () => at + 1000 }), storedVersion: () => 2 }
  return { sessions: createSessions(options), refreshTokens: createRefreshTokens({ ...options, secrets }) }
}

describe('the sign-in at a provider', () => {
  test.each([provider, { ...provider, sid: null }])(
    'is kept by a session, through every renewal: %j',
    async (given) => {
      const { sessions } = setUp()
      const issued = await sessions.create({ subject: 'acc_1', factors, provider: given })
      expect(issued?.session.provider).toEqual(given)
      expect((await sessions.read(issued?.credential ?? null))?.provider).toEqual(given)
      expect(await sessions.renew('acc_1', issued?.session.key ?? '', { epoch: 1 })).toBe(true)
      const next = await sessions.regenerate('acc_1', issued?.session.key ?? '', { epoch: 1, factors })
      expect(next?.session.provider).toEqual(given)
      expect((await sessions.list('acc_1')).map((each) => each.provider)).toEqual([given])
    },
  )

  test('is kept by a family, through every rotation and renewal', async () => {
    const { sessions, refreshTokens } = setUp()
    const { token, family } = await refreshTokens.issue({ subject: 'acc_1', ...client, factors, provider })
    expect(family.provider).toEqual(provider)
    const verdict = await refreshTokens.redeem(token, client)
    if (!verdict.ok) throw new Error(verdict.reason)
    expect(verdict.family.provider).toEqual(provider)
    expect(await refreshTokens.renew(family, { epoch: 1 })).toBe(true)
    const next = await refreshTokens.regenerate(verdict.family, { epoch: 1 })
    expect(next?.family.provider).toEqual(provider)
    expect((await sessions.list('acc_1')).map((each) => each.provider)).toEqual([provider])
  })

  test('is absent without a provider, and in a new session that replaces one with a provider', async () => {
    const { sessions, refreshTokens } = setUp()
    const first = await sessions.create({ subject: 'acc_1', factors, provider })
    const second = await sessions.create({ subject: 'acc_1', factors, replaces: first?.session ?? null })
    const { family } = await refreshTokens.issue({ subject: 'acc_1', ...client, factors, provider: null })
    for (const opened of [second?.session, family, ...(await sessions.list('acc_1'))])
      expect(opened).not.toHaveProperty('provider')
  })
})
