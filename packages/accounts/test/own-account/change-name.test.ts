import { describe, expect, test } from 'vitest'
import { createBench, refusalOf } from '../bench.ts'

const hostileNames: readonly (readonly [string, string])[] = [
  ['blank', '  '],
  ['nothing', ''],
  ['101 characters', 'x'.repeat(101)],
  ['10 000 characters', 'x'.repeat(10_000)],
  ['text that runs backwards', 'Ada \u202e drow'],
  ['a line of its own', 'Ada\nBcc: all@example.com'],
  ['a NUL', 'Ada\u0000'],
  ['an invisible letter', '\u200b\u2060'],
  ['half a character', 'Ada \ud800'],
]

describe('a change of the name', () => {
  test('changeName is visible at once, keeps sessions, and its event omits the name', async () => {
    const bench = createBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const changed = await bench.accounts.changeName({ identity, name: '  Grace <b>Hopper</b> ' })
    expect(changed).toEqual({
      id: account.id,
      email: account.email,
      name: 'Grace <b>Hopper</b>',
      roles: ['READER'],
      status: 'active',
    })
    expect(await bench.store.get(account.id)).toEqual({ ...account, name: 'Grace <b>Hopper</b>' })
    expect(await bench.accounts.listSessions(account.id)).toHaveLength(1)
    expect(bench.events.at(-1)).toMatchObject({ type: 'name.changed', accountId: account.id, sessionKey: identity.key })
    expect(JSON.stringify(bench.events)).not.toContain('Hopper')
  })

  test.each(hostileNames)('changeName to %s is refused, and the name is unchanged', async (_what, name) => {
    const bench = createBench()
    const account = await bench.insert()
    const { identity } = await bench.signIn()
    const events = bench.events.length
    expect(await refusalOf(bench.accounts.changeName({ identity, name }))).toMatchObject({
      code: 'NAME_INVALID',
      field: 'name',
    })
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(bench.events).toHaveLength(events)
  })

  test('changeName returns null for an unknown account', async () => {
    const bench = createBench()
    expect(await bench.accounts.changeName({ identity: { subject: 'acc_none' }, name: 'Ada' })).toBeNull()
    expect(bench.events).toEqual([])
  })
})
