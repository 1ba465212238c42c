import { describe, expect, test } from 'vitest'
import { createProvidersBench, issuer, type ProvidersBench, type ProvidersBenchOptions } from './providers-bench.ts'

const logoutOf = (sid: string) => ({ issuer, subject: null, sid })

/** Two accounts, each linked to a user of the provider. */
async function createTwo(options: ProvidersBenchOptions = {}) {
  const bench = createProvidersBench(options)
  const { id } = await bench.insert()
  const other = await bench.insert({ email: 'other@example.com' })
  await bench.link(id)
  await bench.link(other.id, '43')
  return { bench, id, otherId: other.id }
}

/** How many records a sign-in writes, the one of its session among them. */
async function countInserts(bench: ProvidersBench, inserts: readonly string[], sid: string | null, subject = '42') {
  const before = inserts.length
  expect(await bench.byProvider({ sid, subject })).toMatchObject({ ok: true })
  return inserts.length - before
}

describe('a session at a provider', () => {
  test('a provider session of two accounts is found on every page of the store', async () => {
    const { bench, id, otherId } = await createTwo()
    const { listByOwner } = bench.records
    Object.assign(bench.records, {
      listByOwner: (owner: string, page: object) => listByOwner(owner, { ...page, limit: 1 }),
    })
    await bench.byProvider({ sid: 's1' })
    await bench.byProvider({ sid: 's1', subject: '43' })
    expect(await bench.accounts.endProviderSessions(logoutOf('s1'))).toBe(2)
    expect(await bench.sessions.list(id)).toEqual([])
    expect(await bench.sessions.list(otherId)).toEqual([])
    expect(await bench.byProvider({ sid: 's1' })).toMatchObject({ ok: false })
  })

  test('a provider session is stored once for an account, until half of its lifetime has passed', async () => {
    const inserts: string[] = []
    const { bench } = await createTwo({
      aroundRecords: (method, run) => {
        if (method === 'insert') inserts.push(method)
        return run()
      },
    })
    expect(await countInserts(bench, inserts, null)).toBe(1)
    expect(await countInserts(bench, inserts, 's1')).toBe(2)
    expect(await countInserts(bench, inserts, 's1')).toBe(1)
    expect(await countInserts(bench, inserts, 's1', '43')).toBe(2)
    expect(await countInserts(bench, inserts, 's1')).toBe(1)
    bench.advance(182 * 86_400)
    expect(await countInserts(bench, inserts, 's1')).toBe(1)
    bench.advance(86_400)
    expect(await countInserts(bench, inserts, 's1')).toBe(2)
    expect(await countInserts(bench, inserts, 's1')).toBe(1)
  })

  test('a sign-in is refused if the store does not keep its provider session', async () => {
    const { bench } = await createTwo({
      aroundRecords: async (method, run) => (method === 'insert' ? (false as never) : run()),
    })
    await expect(bench.byProvider({ sid: 's1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('a malformed record of a provider session is an outage, and the error names it', async () => {
    let isBroken = false
    const { bench } = await createTwo({
      aroundRecords: async (method, run) => {
        const result = (await run()) as { items: readonly { value: string }[] }
        if (method !== 'listByOwner' || !isBroken) return result
        const broken = (value: string) => value.replace(/"acc_\d+"/, '7')
        return { ...result, items: result.items.map((item) => ({ ...item, value: broken(item.value) })) }
      },
    })
    await bench.byProvider({ sid: 's1' })
    isBroken = true
    await expect(bench.byProvider({ sid: 's1' })).rejects.toThrow('provider session')
  })
})
