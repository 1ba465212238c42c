import { randomToken } from '@latchkey/bytes'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { inTimeZone } from '../time-zones.ts'
import { type CounterBench, opensWindow } from './counter-bench.ts'
import { atOnce, fillCounters } from './fill-counters.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** The greatest numbers of 8, 16 and 32 bits, signed and not, by their bits. */
const greatest: readonly (readonly [bits: string, count: number])[] = [
  ['8 bits with a sign', 127],
  ['8 bits', 255],
  ['16 bits with a sign', 32_767],
  ['16 bits', 65_535],
  ['32 bits with a sign', 2_147_483_647],
  ['32 bits', 4_294_967_295],
]

/** Milliseconds of a day and more, of which the last two exceed a timer of 32 bits. */
const longWindows: readonly (readonly [length: string, windowMs: number])[] = [
  ['a day', day],
  ['30 days', 30 * day],
  ['a year', 365 * day],
]

/** The number of further counters in the store of the counter that must stay. */
const otherKeys = 2000

/** Two of each, which a narrow encoding or a collation takes for one. */
const scripts = ['ключ', 'меню', 'مفتاح', 'مرحبا', '鍵', '門', 'clé', 'clè', '🔑', '🔒', 'ß', 'ss', 'I', 'ı']

export const counterLimits: TestTable<CounterBench> = {
  'a count has more than 32 bits': async ({ store, other, key }) => {
    let count = 0
    for (const [bits, last] of greatest) {
      count = (await store.hit(key, 10 * minute, last - count)).count
      same(count, last, `hit: the greatest count of ${bits}`)
      count = (await other.hit(key, 10 * minute)).count
      same(count, last + 1, `hit: a count must not stop or wrap at ${bits}: the next one`)
      same((await store.hit(key, 10 * minute, 0)).count, count, `hit by 0: the count beyond ${bits}`)
    }
  },

  'single hits count beyond 255': async ({ store, key }) => {
    for (let count = 1; count <= 260; count++) {
      same((await store.hit(key, 10 * minute)).count, count, `hit: the count after ${count} single hits`)
    }
  },

  'a window of a day or more is kept': async (bench) => {
    for (const [length, windowMs] of longWindows) {
      const key = `${bench.key}_${windowMs}`
      const resetAt = await opensWindow(bench, key, windowMs, `a window of ${length}`)
      await bench.wait(20)
      same(
        await bench.other.hit(key, minute, 0),
        { count: 1, resetAt },
        `hit by 0: a counter with a window of ${length}`,
      )
    }
  },

  'a window is not rounded to seconds': async (bench) => {
    for (const windowMs of [900, 1999, 61_001]) {
      const key = `${bench.key}_${windowMs}`
      const resetAt = await opensWindow(bench, key, windowMs, `a window of ${windowMs} ms`)
      const left = resetAt - (await bench.time())
      if (left > 300)
        same((await bench.other.hit(key, minute, 0)).count, 1, `hit by 0: a window of ${windowMs} ms, open`)
    }
  },

  'reset removes the window with the count': async (bench) => {
    await bench.store.hit(bench.key, 10 * minute, 3)
    await bench.other.reset(bench.key)
    await opensWindow(bench, bench.key, minute, 'a key after reset, which must leave no window')
  },

  'a counter stays while 2,000 others are opened': async ({ store, other, key }) => {
    await store.hit(key, 10 * minute, 3)
    for (let opened = 0; opened < otherKeys; opened += atOnce) {
      const keys = Array.from({ length: atOnce }, (_none, index) => `${key}_${opened + index}`)
      await fillCounters(store, keys, minute)
    }
    same((await other.hit(key, minute, 0)).count, 3, 'hit by 0: an open counter must not be evicted: the count')
  },
}

/** Needs a process whose time zone can be set. */
export const counterZones: TestTable<CounterBench> = {
  'a window is the same in every time zone': async (bench) => {
    const hit = await inTimeZone('America/New_York', () => bench.store.hit(bench.key, day))
    const read = await inTimeZone('Asia/Kolkata', () => bench.other.hit(bench.key, day, 0))
    same(read, hit, 'hit by 0: the counter in another time zone: keep instants, not local time')
  },
}

export const counterKeys: TestTable<CounterBench> = {
  'a key that is too long is rejected, never cut': async ({ store, other }) => {
    for (const length of [512, 513, 767, 1025, 4097, 70_000]) {
      const start = randomToken(16).padEnd(length - 1, 'x')
      await keepsApart(
        { store, other },
        [`${start}y`, `${start}z`],
        `two keys of ${length} bytes that differ in the last`,
      )
    }
  },

  'a NUL in a key is kept or rejected, never cut at': async ({ store, other, key }) => {
    const keys = [`${key}\u0000a`, `${key}\u0000b`, `${key}\u0000`, key]
    await keepsApart({ store, other }, keys, 'keys that differ from a NUL on')
  },

  'keys of every script are kept': async ({ store, other, key }) => {
    for (const text of scripts) {
      const { resetAt } = await store.hit(`${key}${text}`, minute, 2)
      same(await other.hit(`${key}${text}`, minute, 0), { count: 2, resetAt }, `hit by 0: a key with "${text}"`)
    }
  },
}

/** Throws unless each key has a separate counter, or `hit` rejects it. */
async function keepsApart(
  { store, other }: Pick<CounterBench, 'store' | 'other'>,
  keys: readonly string[],
  rule: string,
): Promise<void> {
  const kept: string[] = []
  for (const key of keys) {
    const hit = await store.hit(key, minute).catch(() => null)
    if (!hit) continue
    same(hit.count, 1, `hit of ${rule}: the count of the first hit`)
    kept.push(key)
  }
  for (const key of kept) same((await other.hit(key, minute, 0)).count, 1, `hit by 0 of ${rule}: the count`)
  for (const key of kept) await store.reset(key)
  holds(
    kept.length > 0 || keys.every((key) => key.length > 512 || key.includes('\0')),
    `hit of ${rule}: must be accepted`,
  )
}
