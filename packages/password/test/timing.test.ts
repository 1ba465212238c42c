import { createPasswordHasher } from '@latchkey/password'
import { expect, test } from 'vitest'
import { createWeakHasher } from './weak-hasher.ts'

/**
 * The share of pairs in which the value of the first group is the greater one (Mann and Whitney's U): 0.5 when no one
 * could tell the groups apart, 0 or 1 when one look is enough.
 */
function tellApart(left: readonly number[], right: readonly number[]): number {
  let greater = 0
  for (const one of left) for (const other of right) greater += one > other ? 1 : one === other ? 0.5 : 0
  return greater / (left.length * right.length)
}

test('the measure of these tests separates different times, and no equal times', () => {
  const around = (mean: number) => Array.from({ length: 100 }, (_, index) => mean + ((index * 7919) % 100) / 100)
  expect(tellApart(around(10), around(10))).toBeCloseTo(0.5)
  expect(tellApart(around(12), around(10))).toBe(1)
  expect(tellApart(around(10.5), around(10))).toBeGreaterThan(0.8)
})

// Minutes of hashing, and worth something on a quiet machine only: TEST_TIER=3 vitest run packages/password
if (process.env.TEST_TIER === '3') {
  const rounds = 200

  test('the time of an answer does not reveal the reason of a refusal, in the long mode', {
    timeout: 600_000,
  }, async () => {
    const hasher = createPasswordHasher({ concurrency: 1 })
    const stored = await hasher.hash('otters read quietly')
    const cases: Record<string, [password: string, stored: string | null]> = {
      'wrong password': ['otters read loudly', stored],
      'right password': ['otters read quietly', stored],
      'unknown account': ['otters read loudly', null],
      'no password set': ['otters read loudly', ''],
      'marked as disabled': ['otters read quietly', `!${stored}`],
      'unreadable hash': ['otters read loudly', stored.slice(0, -3)],
      'parameters out of bounds': ['otters read loudly', stored.replace('m=19456', 'm=4194304')],
      'malformed password': ['otters\0', stored],
    }
    const times: Record<string, number[]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const [name, [password, known]] of Object.entries(cases)) {
        const startedAt = performance.now()
        await hasher.verify(password, known)
        times[name] = [...(times[name] ?? []), performance.now() - startedAt]
      }
    }
    await hasher.close()
    const wrong = times['wrong password'] ?? []
    const apart = Object.entries(times).map(([name, samples]) => [name, tellApart(samples, wrong)] as const)
    console.log(Object.fromEntries(apart))
    for (const [, share] of apart) expect(Math.abs(share - 0.5)).toBeLessThan(0.1)
  })

  test('the time of an answer reveals an old algorithm, as the README states, in the long mode', {
    timeout: 600_000,
  }, async () => {
    const hasher = createPasswordHasher({ concurrency: 1 })
    const bcrypt = createWeakHasher({ bcrypt: { cost: 12 } })
    const [current, old] = [await hasher.hash('otters'), await bcrypt.hash('otters')]
    const measure = async (stored: string) => {
      const startedAt = performance.now()
      await hasher.verify('otter', stored)
      return performance.now() - startedAt
    }
    const times: [current: number[], old: number[]] = [[], []]
    for (let round = 0; round < 20; round++) {
      times[0].push(await measure(current))
      times[1].push(await measure(old))
    }
    await Promise.all([hasher.close(), bcrypt.close()])
    expect(tellApart(times[1], times[0])).toBeGreaterThan(0.9)
  })
}
