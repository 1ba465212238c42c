import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGuessingLimits, unknownAttempt } from '@latchkey/accounts'
import { createMemoryCounterStore, createMemoryLockoutStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const isLong = process.env.LATCHKEY_LONG === '1'
const guesses = isLong ? 5_000_000 : 20_000
const patience = isLong ? 3_600_000 : 600_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapInMegabytes(): number {
  collect()
  return process.memoryUsage().heapUsed / 1_000_000
}

test(`${guesses.toLocaleString('en')} guesses of random accounts from random addresses take no more memory than 100 000 windows, and clear no limit that is full`, {
  timeout: patience,
}, async () => {
  const limits = createGuessingLimits({
    counters: createMemoryCounterStore(),
    lockouts: createMemoryLockoutStore(),
    secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(5) }],
  })
  const take = (identifier: string, address: string) =>
    limits.takePassword({ identifier, attempt: { ...unknownAttempt, address, device: null } })
  let made = 0
  const guess = async (index: number): Promise<void> => {
    const identifier = `nobody${index}@example.com`
    const verdict = await take(identifier, `2001:db8:${index.toString(16)}::/64`)
    if (!verdict.ok) return
    made++
    await verdict.fail()
    await limits.passwords.fail(null, identifier)
  }
  const before = heapInMegabytes()
  for (let tried = 0; tried < 5; tried++) {
    const verdict = await take('ada@example.com', '192.0.2.1')
    if (verdict.ok) await verdict.fail()
  }
  for (let index = 0; index < guesses; index++) await guess(index)
  expect(made).toBe(guesses)
  const grown = heapInMegabytes() - before
  console.log(`${guesses} guesses: the heap grew by ${grown.toFixed(1)} MB`)
  expect(grown).toBeLessThan(45)
  expect(await take('ada@example.com', '192.0.2.1')).toMatchObject({ ok: false, policy: { name: 'account' } })
})
