import { setImmediate } from 'node:timers/promises'
import { consumeAll } from '@latchkey/rate-limit'
import { type CounterStore, createMemoryCounterStore, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { openLimit, permitted } from './open-limit.ts'

test('an attempt is permitted when each limit permits it, and each has counted it', async () => {
  const first = openLimit({ limit: 1 })
  const second = openLimit({ limit: 1, name: 'account' })
  permitted(await consumeAll([[first.limit, 'a'], [second.limit, 'b', 'c']])) // biome-ignore format: pairs
  expect((await first.limit.take('a')).ok).toBe(false)
  expect((await second.limit.take('b', 'c')).ok).toBe(false)
})

test('an attempt that the first limit refuses is counted by no other limit', async () => {
  const address = openLimit({ limit: 1, name: 'address' })
  const account = openLimit({ limit: 1, name: 'account' })
  await address.limit.take('x')
  for (let asked = 0; asked < 5; asked++) {
    const verdict = await consumeAll([
      [address.limit, 'x'],
      [account.limit, 'ada'],
    ])
    expect(verdict).toMatchObject({ ok: false, policy: { name: 'address' } })
  }
  expect(account.hits).toEqual([])
})

test('a later limit that refuses is named, and no other limit has counted the attempt', async () => {
  const address = openLimit({ limit: 2, name: 'address' })
  const account = openLimit({ limit: 1, name: 'account' })
  const last = openLimit({ limit: 1, name: 'last' })
  await account.limit.take('ada')
  for (let asked = 0; asked < 5; asked++) {
    const verdict = await consumeAll([
      [address.limit, 'x'],
      [account.limit, 'ada'],
      [last.limit, 'y'],
    ])
    expect(verdict).toMatchObject({ ok: false, policy: { name: 'account' } })
  }
  permitted(await address.limit.take('x'))
  permitted(await address.limit.take('x'))
  permitted(await last.limit.take('y'))
})

test('giving back and failing reach every limit', async () => {
  const address = openLimit({ limit: 1, name: 'address', longestSeconds: 3600 })
  const account = openLimit({ limit: 1, name: 'account', longestSeconds: 3600 })
  const take = () =>
    consumeAll([
      [address.limit, 'x'],
      [account.limit, 'ada'],
    ])
  for (let made = 0; made < 3; made++) await permitted(await take()).giveBack()
  await permitted(await take()).fail()
  for (const { limit, advance, hits } of [address, account]) {
    advance(60)
    const key = limit === address.limit ? 'x' : 'ada'
    permitted(await limit.take(key))
    expect(await limit.take(key)).toMatchObject({ ok: false, retryAfterSeconds: 120 })
    expect(hits.filter(({ by }) => by === -1).length).toBeGreaterThanOrEqual(3)
  }
})

test('consumeAll rejects with the failure of a store after it gave back the attempts that other limits counted', async () => {
  const memory = createMemoryCounterStore()
  const counters: CounterStore = {
    ...memory,
    async hit(key, windowMs, by = 1) {
      if (by < 0) await setImmediate()
      return memory.hit(key, windowMs, by)
    },
  }
  const address = openLimit({ limit: 1, name: 'address', counters, now: Date.now })
  const hit = async () => {
    throw new StoreError('STORE_UNAVAILABLE', 'the backend does not answer')
  }
  const broken = openLimit({ counters: { ...createMemoryCounterStore(), hit } })
  const attempt = consumeAll([
    [address.limit, 'x'],
    [broken.limit, 'ada'],
  ])
  await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  permitted(await address.limit.take('x'))
})
