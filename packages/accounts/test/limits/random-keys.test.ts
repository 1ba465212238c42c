import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAttemptLimits, unknownAttempt } from '@latchkey/accounts'
import { type CounterStore, createMemoryCounterStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const isLong = process.env.TEST_TIER === '3'
const guesses = isLong ? 5_000_000 : 20_000
/** So many are made by the limits. What they counted of the last one is counted for each of the others, by keys of its own. */
const made = isLong ? 200_000 : 4_000
const patience = isLong ? 3_600_000 : 600_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Stands still: no window ends before the last guess, however long all of them take. */
const now = () => 1_800_000_000_000

type Hit = Parameters<CounterStore['hit']>

/** Counters that remember what was counted since `forget`. */
function createRecordedCounters() {
  const counters = createMemoryCounterStore({ now })
  const hits: Hit[] = []
  const hit: CounterStore['hit'] = (...given) => {
    hits.push(given)
    return counters.hit(...given)
  }
  return { counters, recorded: { ...counters, hit }, hits, forget: () => void hits.splice(0) }
}

/** Counts what one guess counts as a guess of another account from another address. */
function createRepeatedGuess(counters: CounterStore, hits: readonly Hit[]) {
  const parts = hits.map(([key, windowMs, by]) => {
    const [, before = '', after = ''] = /^(limit:[a-z-]+:)[\w-]{43}(.*)$/.exec(key) ?? []
    expect(before).not.toBe('')
    return { before, after, windowMs, by }
  })
  return (index: number): void => {
    const digest = String(index).padStart(43, 'x')
    for (const { before, after, windowMs, by } of parts) void counters.hit(before + digest + after, windowMs, by)
  }
}

function heapInMegabytes(): number {
  collect()
  return process.memoryUsage().heapUsed / 1_000_000
}

test(`${made.toLocaleString('en')} guesses of random accounts from random addresses, with ${(guesses - made).toLocaleString('en')} further counts, use at most the memory of 100 000 windows, and clear no full limit`, {
  timeout: patience,
}, async () => {
  const { counters, recorded, hits, forget } = createRecordedCounters()
  const limits = createAttemptLimits({
    counters: recorded,
    lockouts: createMemoryCounterStore(),
    secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(5) }],
    now,
  })
  const take = (identifier: string, address: string) =>
    limits.takePassword({ identifier, attempt: { ...unknownAttempt, address, device: null } })
  const guess = async (index: number): Promise<boolean> => {
    forget()
    const identifier = `nobody${index}@example.com`
    const verdict = await take(identifier, `2001:db8:${index.toString(16)}::/64`)
    if (!verdict.ok) return false
    await verdict.fail()
    await limits.passwords.fail(null, identifier)
    return true
  }
  const before = heapInMegabytes()
  for (let tried = 0; tried < 5; tried++) {
    const verdict = await take('ada@example.com', '192.0.2.1')
    if (verdict.ok) await verdict.fail()
  }
  let refused = 0
  for (let index = 0; index < made; index++) if (!(await guess(index))) refused++
  expect(refused).toBe(0)
  expect(hits).toHaveLength(7)
  const repeat = createRepeatedGuess(counters, hits)
  for (let index = made; index < guesses; index++) {
    repeat(index)
    if (index % 50_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const grown = heapInMegabytes() - before
  console.log(`counted for ${guesses} guesses: the heap grew by ${grown.toFixed(1)} MB`)
  expect(grown).toBeLessThan(45)
  expect(await take('ada@example.com', '192.0.2.1')).toMatchObject({ ok: false, policy: { name: 'account' } })
})
