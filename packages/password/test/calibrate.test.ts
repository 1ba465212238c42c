import { calibrateArgon2id, createPasswordHasher, type PasswordEngine } from '@latchkey/password'
import { describe, expect, test } from 'vitest'

/** A machine on which Argon2id takes so many milliseconds per MiB and iteration, twice that for what is beyond its cache, and its clock. */
function createMachine(msPerMib: number, cacheMib = 4096) {
  let time = 0
  let hashes = 0
  const engine: PasswordEngine = {
    name: 'machine',
    kinds: ['argon2id'],
    async run(job) {
      if (job.kind !== 'argon2id') throw new Error(`no ${job.kind} here`)
      const mib = job.memoryKib / 1024
      time += (mib + Math.max(0, mib - cacheMib)) * job.iterations * msPerMib
      hashes++
      return new Uint8Array(32)
    },
  }
  return { engines: { argon2id: engine }, now: () => time, hashes: () => hashes }
}

describe('calibrateArgon2id', () => {
  test.each([
    ['a fast machine', 0.2, 250, { memoryKib: 65_536, iterations: 10 }, 128],
    ['a usual machine', 0.8, 250, { memoryKib: 65_536, iterations: 5 }, 256],
    ['a slow machine', 4, 250, { memoryKib: 31_744, iterations: 2 }, 248],
    ['a machine that is too slow for the least', 20, 250, { memoryKib: 19_456, iterations: 2 }, 760],
    ['a usual machine and a short time', 0.8, 60, { memoryKib: 37_888, iterations: 2 }, 59],
  ])('finds for %s what takes the time', async (_what, msPerMib, targetMs, parameters, hashMs) => {
    const { engines, now } = createMachine(msPerMib)
    const found = await calibrateArgon2id({ targetMs, engines, now, concurrency: 4 })
    expect(found.parameters).toEqual({ ...parameters, parallelism: 1 })
    expect(found.hashMs).toBeCloseTo(hashMs, -0.5)
    expect(found).toMatchObject({ concurrency: 4, engine: 'machine', memoryKib: 4 * parameters.memoryKib })
    // This machine computes one after the other.
    expect(found.hashesPerSecond).toBeCloseTo(1000 / found.hashMs, 1)
  })

  test('corrects its first guess if the cache makes the minimum look cheap', async () => {
    const { engines, now } = createMachine(1, 24)
    const found = await calibrateArgon2id({ targetMs: 100, engines, now })
    expect(found.parameters).toEqual({ memoryKib: 32_768, iterations: 2, parallelism: 1 })
    expect(found.hashMs).toBe(80)
  })

  test('finds parameters within the memory of its option', async () => {
    const { engines, now } = createMachine(0.5)
    const found = await calibrateArgon2id({ targetMs: 500, engines, now, maximumMemoryKib: 131_072 })
    expect(found.parameters).toEqual({ memoryKib: 131_072, iterations: 8, parallelism: 1 })
  })

  test('returns what createPasswordHasher takes', async () => {
    const { engines, now, hashes } = createMachine(1)
    const { parameters } = await calibrateArgon2id({ engines, now, concurrency: 2 })
    expect(() => createPasswordHasher({ argon2id: parameters })).not.toThrow()
    expect(hashes()).toBeLessThan(40)
  })

  test('measures the engines of this machine', async () => {
    const found = await calibrateArgon2id({ targetMs: 1, concurrency: 1 })
    expect(found).toMatchObject({ parameters: { memoryKib: 19_456, iterations: 2 }, engine: '@node-rs/argon2' })
    expect(found.hashMs).toBeGreaterThan(1)
    expect(found.hashesPerSecond).toBeGreaterThan(0)
  })

  test.each([
    ['targetMs', { targetMs: 0 }],
    ['maximumMemoryKib', { maximumMemoryKib: 1024 }],
    ['concurrency', { concurrency: 0 }],
  ])('refuses %s out of range: %o', async (name, options) => {
    await expect(calibrateArgon2id(options)).rejects.toThrow(TypeError)
    await expect(calibrateArgon2id(options)).rejects.toThrow(name)
  })
})
