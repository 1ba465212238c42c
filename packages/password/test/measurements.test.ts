import { allowWeakHashes, createPasswordHasher, type PasswordMeasurement } from '@latchkey/password'
import { describe, expect, onTestFinished, test } from 'vitest'

function createMeasured(onMeasurement: (measurement: PasswordMeasurement) => void) {
  const argon2id = { memoryKib: 8, iterations: 1 }
  const hasher = createPasswordHasher({ argon2id, strength: allowWeakHashes, concurrency: 1, onMeasurement })
  onTestFinished(() => hasher.close())
  return hasher
}

describe('a hash is measured', () => {
  test('once for each evaluation, with its waiting time, its computing time and its lane', async () => {
    const measured: PasswordMeasurement[] = []
    const hasher = createMeasured((measurement) => measured.push(measurement))
    const stored = await hasher.hash('a password', { lane: 'idle' })
    await hasher.verify('a password', stored)
    await hasher.verify('another password', null)
    const numbers = { waitedMs: expect.any(Number), durationMs: expect.any(Number) }
    expect(measured).toEqual([
      { type: 'password.hashed', lane: 'idle', ...numbers },
      { type: 'password.hashed', lane: 'login', ...numbers },
      { type: 'password.hashed', lane: 'login', ...numbers },
    ])
    expect(hasher.stats.evaluations).toBe(3)
    for (const { durationMs } of measured) expect(durationMs).toBeGreaterThan(0)
  })

  test('the measurement has the time in the queue and the computing time separately', async () => {
    const measured: PasswordMeasurement[] = []
    const hasher = createMeasured((measurement) => measured.push(measurement))
    await Promise.all(Array.from({ length: 5 }, () => hasher.hash('a password')))
    const [first, ...others] = measured
    const computed = measured.reduce((sum, { durationMs }) => sum + durationMs, 0)
    const last = others.at(-1)
    expect(last?.waitedMs).toBeGreaterThan(first?.waitedMs ?? 0)
    // The last one has waited for all others, one after another.
    expect(last?.waitedMs).toBeGreaterThanOrEqual((computed - (last?.durationMs ?? 0)) * 0.9)
  })

  test('although the listener throws', async () => {
    const kinds: string[] = []
    const hasher = createMeasured(({ type }) => {
      kinds.push(type)
      throw new Error('the exporter is closed')
    })
    expect(await hasher.hash('a password')).toMatch(/^\$argon2id\$/)
    expect(kinds).toEqual(['password.hashed'])
  })
})
