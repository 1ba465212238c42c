import { createRedisStores } from '@latchkey/redis'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { libraries, type OpenClient } from './clients.ts'
import { observe, ownServer, patientMs, unavailable } from './support.ts'

const url = useService('redis')

describe.each(libraries)('%s', (library, connect) => {
  let open: OpenClient
  let run = 0
  let prefix = ''
  beforeAll(async () => {
    open = await connect(url)
  })
  afterAll(() => open.close())
  beforeEach(() => {
    prefix = `test-${library}-${process.pid}-${Date.now()}-${run++}:`
  })

  const hour = 3_600_000
  const calm = { waitReplicas: 0, deadlineMs: patientMs }
  const newRecord = (key: string, expiresAt = Date.now() + hour) => ({ key, owner: 'acc_1', expiresAt, value: '{}' })
  const openStores = (now?: () => number) => {
    const stores = createRedisStores({ client: open.client, prefix, ...calm, ...(now && { now }) })
    onTestFinished(() => stores.close())
    return stores
  }

  test('scripts that Redis has forgotten are sent again', async () => {
    const { records } = openStores()
    await records.insert(newRecord('se_1'))
    await (await observe(url)).script('FLUSH')
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => records.remove('se_1')))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  test('unknown keys create no keys', async () => {
    const { records, counters } = openStores()
    const unknown = { ...newRecord('se_unknown'), version: 1 }
    await records.get('se_unknown')
    await records.replace(unknown, unknown)
    await records.touch(unknown, unknown.expiresAt)
    await records.remove('se_unknown')
    await records.listByOwner('acc_1')
    await records.removeByOwner('acc_1')
    await counters.hit('unknown', 1000, -1)
    await counters.hit('unknown', 1000, 0)
    await counters.reset('unknown')
    expect(await (await observe(url)).keys(`${prefix}*`)).toEqual([])
  })

  test('every key that is left expires in Redis too, the index after the records', async () => {
    const { records, counters } = openStores()
    const redis = await observe(url)
    await records.insert(newRecord('se_1'))
    await records.insert(newRecord('se_2', Date.now() + 2 * hour))
    const left = async (name: string) => (await redis.pttl(`${prefix}${name}`)) / 1000
    expect(await left('owner:acc_1')).toBeCloseTo(2 * 3600 + 120, -1)
    await records.touch(newRecord('se_1'), Date.now() + 3 * hour)
    await records.insert({ ...newRecord('se_3'), owner: null })
    const later = { value: '{}', expiresAt: Date.now() + 4 * hour }
    expect(await records.replace({ ...newRecord('se_3'), owner: null, version: 1 }, later)).toBe(true)
    await counters.hit('sign-in', 1000)
    expect(await left('record:se_3')).toBeCloseTo(4 * 3600 + 60, -1)
    expect(await left('record:se_1')).toBeCloseTo(3 * 3600 + 60, -1)
    expect(await left('record:se_2')).toBeCloseTo(2 * 3600 + 60, -1)
    expect(await left('owner:acc_1')).toBeCloseTo(3 * 3600 + 120, -1)
    expect(await left('counter:sign-in')).toBeCloseTo(61, -1)
    expect(await redis.keys(`${prefix}*`)).toHaveLength(5)
  })

  test('a counter with a window of Infinity does not expire in Redis, even if its previous window would have', async () => {
    let time = Date.now()
    const { counters } = openStores(() => time)
    const redis = await observe(url)
    await counters.hit('failures', 1000)
    time += 1001
    const counter = { count: 1, resetAt: Number.MAX_SAFE_INTEGER }
    expect(await counters.hit('failures', Number.POSITIVE_INFINITY)).toEqual(counter)
    expect(await redis.pttl(`${prefix}counter:failures`)).toBe(-1)
    await counters.reset('failures')
    expect(await redis.keys(`${prefix}*`)).toEqual([])
  })

  test('a removal takes its own entry from the index', async () => {
    const { records } = openStores()
    await Promise.all(['se_1', 'se_2', 'se_3'].map((key) => records.insert(newRecord(key))))
    await records.remove('se_1')
    const redis = await observe(url)
    const entries = () => redis.zrange(`${prefix}owner:acc_1`, '0', '-1')
    // The answer does not wait for it.
    await expect.poll(entries).toEqual(['se_2', 'se_3'])
    expect(await records.removeByOwner('acc_1', { except: 'se_3' })).toBe(1)
    await expect.poll(entries).toEqual(['se_3'])
  })

  test('a removal waits for its record and not for the index', async () => {
    await openStores().records.insert(newRecord('se_1'))
    const stores = createRedisStores({ client: withoutAnswersFor(open.client, `${prefix}owner:`), prefix, ...calm })
    const removed = stores.records.remove('se_1')
    expect(await Promise.race([removed, new Promise((resolve) => setTimeout(resolve, 2000, 'waits'))])).toBe(true)
    await stores.close()
  })

  test('a refused insert neither lowers an entry nor changes the owner of a record', async () => {
    const { records } = openStores()
    await records.insert(newRecord('se_1', Date.now() + 2 * hour))
    expect(await records.insert(newRecord('se_1', Date.now() + 1000))).toBe(false)
    expect(await records.insert({ ...newRecord('se_1'), owner: 'acc_2' })).toBe(false)
    const score = await (await observe(url)).zscore(`${prefix}owner:acc_1`, 'se_1')
    expect(Number(score)).toBeGreaterThan(Date.now() + hour)
    expect(await records.removeByOwner('acc_2')).toBe(0)
    expect(await records.get('se_1')).toMatchObject({ owner: 'acc_1' })
  })

  test('an entry keeps the latest expiry of its record, in any order of the writes', async () => {
    const { records } = openStores()
    const record = { ...newRecord('se_1'), version: 1 }
    await records.insert(record)
    const score = async () => Number(await (await observe(url)).zscore(`${prefix}owner:acc_1`, 'se_1'))
    const [near, far] = [record.expiresAt - hour / 2, record.expiresAt + hour]
    await records.touch(record, far)
    await records.touch(record, near)
    expect(await score()).toBe(far)
    await records.replace(record, { value: '{}', expiresAt: near })
    expect(await score()).toBe(far)
    expect(await records.get('se_1')).toMatchObject({ expiresAt: near, version: 2 })
  })

  test('an entry is removed when it is more than 60 s past, and not before', async () => {
    let time = Date.now() - hour
    const { records } = openStores(() => time)
    await records.insert(newRecord('se_old', time + 1000))
    time += 61_000
    await records.insert(newRecord('se_2', time + hour))
    const entries = async () => (await observe(url)).zrange(`${prefix}owner:acc_1`, '0', '-1')
    expect(await entries()).toEqual(['se_old', 'se_2'])
    time += 1
    await records.insert(newRecord('se_3', time + hour))
    expect(await entries()).toEqual(['se_2', 'se_3'])
  })

  test('a record that a process with a clock a day ahead has removed is absent for the others', async () => {
    const [right, ahead] = [openStores(), openStores(() => Date.now() + 24 * hour)]
    await right.records.insert(newRecord('se_1'))
    await ahead.records.insert(newRecord('se_2', Date.now() + 25 * hour))
    expect(await ahead.records.get('se_1')).toBeNull()
    expect(await ahead.records.removeByOwner('acc_1')).toBe(2)
    expect((await right.records.listByOwner('acc_1')).items).toEqual([])
    expect(await right.records.get('se_1')).toBeNull()
  })

  test('pages are complete where many records expire at the same instant', async () => {
    const { records } = openStores()
    const expiresAt = Date.now() + hour
    // Some begin with the whole of another one.
    const keys = Array.from({ length: 57 }, (_none, index) => `se_${index.toString(36)}é${'1'.repeat(index % 7)}`)
    keys.push(...Array.from({ length: 16 }, (_none, index) => `se_${'1'.repeat(index)}`))
    await Promise.all(keys.map((key) => records.insert(newRecord(key, expiresAt))))
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await records.listByOwner('acc_1', { limit: 5, ...(cursor !== undefined && { cursor }) })
      found.push(...page.items.map(({ key }) => key))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(found.toSorted()).toEqual(keys.toSorted())
  })

  test('a listing includes every record that is touched while it runs', async () => {
    const { records } = openStores()
    const keys = Array.from({ length: 30 }, (_none, index) => `se_${index}`)
    await Promise.all(keys.map((key, index) => records.insert(newRecord(key, Date.now() + hour + index))))
    const found = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await records.listByOwner('acc_1', { limit: 4, ...(cursor !== undefined && { cursor }) })
      for (const { key } of page.items) found.add(key)
      cursor = page.cursor
      const next = keys.find((key) => !found.has(key))
      if (next !== undefined) await records.touch(newRecord(next), Date.now() + 2 * hour)
    } while (cursor !== undefined)
    expect(found.size).toBe(30)
  })

  test('two prefixes are two sets of stores', async () => {
    const other = createRedisStores({ client: open.client, ...calm, prefix: `${prefix}other:` })
    await openStores().records.insert(newRecord('se_1'))
    expect(await other.records.get('se_1')).toBeNull()
    expect((await other.records.listByOwner('acc_1')).items).toEqual([])
  })

  test('a key of another kind is an outage and not an absent record, and its error holds no argument', async () => {
    const redis = await observe(url)
    await redis.set(`${prefix}record:se_1`, 'x', 'PX', 60_000)
    const error = await openStores()
      .records.insert(newRecord('se_1'))
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject(unavailable)
    expect(error).toHaveProperty('cause')
    expect((error as Error).cause).not.toHaveProperty('command')
  })

  test('closed stores throw, and the client stays open', async () => {
    const stores = openStores()
    const reading = stores.records.get('se_1')
    await stores.close()
    await stores.close()
    await expect(reading).rejects.toMatchObject(unavailable)
    await expect(stores.records.get('se_1')).rejects.toMatchObject(unavailable)
    await expect(stores.check()).rejects.toMatchObject(unavailable)
    expect(await openStores().records.get('se_1')).toBeNull()
  })

  describe('check()', () => {
    test('resolves when all is well', async () => {
      await openStores().check()
    })

    test('passes for a user who may not ask Redis about itself', async () => {
      const server = await ownServer(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
      const { client, close } = await connect(server.url)
      await (await observe(server.url)).call('ACL', 'SETUSER', 'default', '-info')
      await createRedisStores({ client, ...calm }).check()
      close()
    })

    test('fails while Redis may drop records to make room', async () => {
      const server = await ownServer(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
      const { client, close } = await connect(server.url)
      await expect(createRedisStores({ client, ...calm }).check()).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('maxmemory-policy'),
      })
      await (await observe(server.url)).config('SET', 'maxmemory-policy', 'noeviction')
      await createRedisStores({ client, ...calm }).check()
      close()
    })
  })

  test('a hit that a client sends twice, as after a lost connection, counts once', async () => {
    const { counters } = createRedisStores({ client: sendingTwice(open.client), prefix, ...calm })
    for (const count of [1, 2, 3]) expect(await counters.hit('attempts', hour)).toMatchObject({ count })
    expect(await counters.hit('attempts', hour, 5)).toMatchObject({ count: 8 })
    expect(await counters.hit('attempts', hour, 0)).toMatchObject({ count: 8 })
  })

  test('with full memory reads and sign-outs work, and new records and hits are refused', async () => {
    const server = await ownServer(['--maxmemory-policy', 'noeviction'])
    const { client, close } = await connect(server.url)
    const { records, counters } = createRedisStores({ client, ...calm })
    await records.insert(newRecord('se_1'))
    await counters.hit('attempts', hour)
    const redis = await observe(server.url)
    await redis.config('SET', 'maxmemory', '1')
    await expect(records.insert(newRecord('se_2'))).rejects.toMatchObject(unavailable)
    expect(await redis.zrange('latchkey:owner:acc_1', '0', '-1')).toEqual(['se_1'])
    const loose = { key: 'se_3', owner: null, expiresAt: Date.now() + hour, value: '{}' }
    await expect(records.insert(loose)).rejects.toMatchObject(unavailable)
    await expect(records.replace({ ...newRecord('se_1'), version: 1 }, loose)).rejects.toMatchObject(unavailable)
    expect(await records.get('se_1')).toMatchObject({ key: 'se_1' })
    expect(await records.touch(newRecord('se_1'), Date.now() + hour)).toBe(true)
    expect(await records.remove('se_1')).toBe(true)
    await expect(counters.hit('attempts', hour)).rejects.toMatchObject(unavailable)
    await counters.reset('attempts')
    close()
  })
})

/** The client, but that it sends each script once more. */
function sendingTwice(client: OpenClient['client']): OpenClient['client'] {
  return new Proxy(client, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      const send = (given: readonly unknown[]): Promise<unknown> => Reflect.apply(member, target, given)
      return /^eval/i.test(String(name))
        ? (...given: unknown[]) => send(given).then(() => send(given))
        : member.bind(target)
    },
  })
}

/** The client, but that commands on keys with this prefix are never answered. */
function withoutAnswersFor(client: OpenClient['client'], prefix: string): OpenClient['client'] {
  const isOn = (given: readonly unknown[]) => JSON.stringify(given).includes(prefix)
  return new Proxy(client, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => (isOn(given) ? new Promise(() => {}) : Reflect.apply(member, target, given))
    },
  })
}
