import { createMemoryCounterStore, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { failOften, openLimit, permitted } from './open-limit.ts'

const policy = { name: 'sign-in', limit: 3, windowSeconds: 60 }

test('as many attempts as the limit are permitted in a window, and further attempts are throttled until it expires', async () => {
  const { limit, advance } = openLimit()
  await failOften(3, () => limit.take('ada'))
  advance(20)
  expect(await limit.take('ada')).toEqual({ ok: false, policy, retryAfterSeconds: 40 })
  advance(39.999)
  expect(await limit.take('ada')).toEqual({ ok: false, policy, retryAfterSeconds: 1 })
  advance(0.001)
  expect((await limit.take('ada')).ok).toBe(true)
})

test('a throttled attempt is not counted and extends no window', async () => {
  const { limit, counters, hits, advance } = openLimit()
  await failOften(3, () => limit.take('ada'))
  advance(30)
  for (let asked = 0; asked < 100; asked++) expect(await limit.take('ada')).toMatchObject({ retryAfterSeconds: 30 })
  const { key = '' } = hits[0] ?? {}
  expect((await counters.hit(key, 60_000, 0)).count).toBe(3)
  advance(30)
  await failOften(3, () => limit.take('ada'))
})

test('each key has its own window, and keys with different parts are different', async () => {
  const { limit } = openLimit({ limit: 1 })
  const keys: readonly [string, ...string[]][] = [
    ['a', 'b'],
    ['ab'],
    ['a,b'],
    ['a', 'b', ''],
    ['a"', 'b'],
    ['a', '"b'],
    ['A', 'b'],
  ]
  for (const key of keys) {
    permitted(await limit.take(...key))
    expect((await limit.take(...key)).ok).toBe(false)
  }
})

test('limits of different names count apart in one store', async () => {
  const counters = createMemoryCounterStore()
  const first = openLimit({ counters, limit: 1 })
  const second = openLimit({ counters, limit: 1, name: 'reset' })
  permitted(await first.limit.take('ada'))
  permitted(await second.limit.take('ada'))
})

test('an attempt given back can be taken again, and failed attempts stay counted', async () => {
  const { limit } = openLimit()
  await failOften(2, () => limit.take('ada'))
  for (let succeeded = 0; succeeded < 10; succeeded++) await permitted(await limit.take('ada')).giveBack()
  permitted(await limit.take('ada'))
  expect((await limit.take('ada')).ok).toBe(false)
})

test('an attempt given back after its window changes no count of the next window', async () => {
  const { limit, advance } = openLimit()
  const late = await Promise.all([limit.take('ada'), limit.take('ada'), limit.take('ada')])
  advance(60)
  await failOften(3, () => limit.take('ada'))
  for (const verdict of late) await permitted(verdict).giveBack()
  expect((await limit.take('ada')).ok).toBe(false)
})

test.each([
  [1.001, 1],
  [1, 0],
  [0.5, 0],
])(
  '%d s before the end of a window, %d step returns a place: a late one could reach the next',
  async (seconds, steps) => {
    const { limit, hits, advance } = openLimit()
    const taken = permitted(await limit.take('ada'))
    advance(60 - seconds)
    await taken.giveBack()
    expect(hits.filter(({ by }) => by === -1)).toHaveLength(steps)
  },
)

test('of 10 000 simultaneous attempts as many as the limit are permitted, and after their failure no others are', async () => {
  const { limit } = openLimit({ limit: 5 })
  const verdicts = await Promise.all(Array.from({ length: 10_000 }, () => limit.take('ada', '203.0.113.7')))
  expect(verdicts.filter(({ ok }) => ok)).toHaveLength(5)
  for (const verdict of verdicts) if (verdict.ok) await verdict.fail()
  expect((await limit.take('ada', '203.0.113.7')).ok).toBe(false)
})

test('take rejects if the store fails', async () => {
  const hit = async () => {
    throw new StoreError('STORE_UNAVAILABLE', 'the backend does not answer')
  }
  const { limit } = openLimit({ counters: { ...createMemoryCounterStore(), hit } })
  await expect(limit.take('ada')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('no store holds the key of an attempt as plain text', async () => {
  const { limit, hits } = openLimit({ longestSeconds: 600 })
  await failOften(3, () => limit.take('ada@example.com', '203.0.113.7'))
  const keys = JSON.stringify(hits)
  for (const part of ['ada', 'example', '203.0']) expect(keys).not.toContain(part)
  expect(hits.length).toBeGreaterThan(3)
})

test('an attempt is given back once, however often giveBack is called', async () => {
  const { limit } = openLimit()
  await failOften(2, () => limit.take('ada'))
  const succeeded = permitted(await limit.take('ada'))
  await Promise.all([succeeded.giveBack(), succeeded.giveBack()])
  await succeeded.giveBack()
  permitted(await limit.take('ada'))
  expect((await limit.take('ada')).ok).toBe(false)
})

test('check counts no attempt and returns the verdict that the next take would return', async () => {
  const { limit, hits, advance } = openLimit()
  for (let looked = 0; looked < 10; looked++) expect(await limit.check('ada')).toEqual({ ok: true })
  await failOften(3, () => limit.take('ada'))
  advance(20)
  expect(await limit.check('ada')).toEqual({ ok: false, policy, retryAfterSeconds: 40 })
  expect(await limit.check('bob')).toEqual({ ok: true })
  advance(40)
  expect(await limit.check('ada')).toEqual({ ok: true })
  expect(hits.filter(({ by }) => by !== 0)).toHaveLength(3)
})

test('a look rejects when the counters do not answer, and is no permission then', async () => {
  const hit = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
  const { limit } = openLimit({ counters: { ...createMemoryCounterStore(), hit } })
  await expect(limit.check('ada')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
