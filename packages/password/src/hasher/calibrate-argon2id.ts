import { checkOptionNames } from '@latchkey/core/internal'
import { checkInteger } from '../check-integer.ts'
import type { Argon2idParameters } from '../formats/argon2.ts'
import { countCores } from '../workers/worker-threads.ts'
import { createPasswordHasher, type PasswordHasher } from './create-password-hasher.ts'
import type { PasswordHasherOptions } from './hasher-options.ts'

const optionNames = {
  targetMs: true,
  maximumMemoryKib: true,
  concurrency: true,
  engines: true,
  now: true,
} as const

type Cost = Awaited<ReturnType<typeof calibrateArgon2id>>['parameters']

/** OWASP's least, and the default. */
const least: Cost = { memoryKib: 19_456, iterations: 2, parallelism: 1 }
const maximumIterations = 10
const mebibyte = 1024
const sample = 'a password to measure with'

/**
 * Finds the Argon2id parameters that take a given time on this machine: as much memory as is allowed first, then more
 * iterations (RFC 9106 §4), never less than the default. It takes about 15 times the target: run it once, on the idle
 * machine that will serve, and write the parameters down. Servers that each choose their own would rehash the hashes of
 * the others again and again.
 *
 * @throws TypeError naming the option that is out of range or unknown.
 * @example
 * import { calibrateArgon2id, createPasswordHasher } from '@latchkey/password'
 * const { parameters, hashesPerSecond } = await calibrateArgon2id({ targetMs: 250 })
 * console.log(parameters, hashesPerSecond)
 * const hasher = createPasswordHasher({ argon2id: parameters })
 */
export async function calibrateArgon2id(
  options: {
    /** Milliseconds for one hash on an idle machine: 250 by default. */
    readonly targetMs?: number
    /** The most memory for one hash in KiB: 65536 (64 MiB) by default. It is taken as many times as there are cores. */
    readonly maximumMemoryKib?: number
    /** Hashes at once for the measurement of the rate: the number of cores by default. */
    readonly concurrency?: number
    /** As for `createPasswordHasher`. */
    readonly engines?: PasswordHasherOptions['engines']
    /** The clock in milliseconds. */
    readonly now?: () => number
  } = {},
): Promise<{
  /** For the option `argon2id` of `createPasswordHasher`. Write them into the configuration. */
  readonly parameters: Required<Pick<Argon2idParameters, 'memoryKib' | 'iterations' | 'parallelism'>>
  /** Milliseconds of one hash alone. More than the target where even the least parameters take longer. */
  readonly hashMs: number
  /** Hashes, that is logins, per second with `concurrency` at once. */
  readonly hashesPerSecond: number
  readonly concurrency: number
  /** KiB of memory with `concurrency` hashes at once. */
  readonly memoryKib: number
  /** The engine that was measured. */
  readonly engine: string
}> {
  checkOptionNames('calibrateArgon2id', options, optionNames)
  const targetMs = checkInteger('targetMs', options.targetMs ?? 250, 1, 10_000)
  const memoryLimit = checkInteger('maximumMemoryKib', options.maximumMemoryKib ?? 65_536, least.memoryKib, 262_144)
  const { concurrency = countCores(), engines = {}, now = () => performance.now() } = options
  const hashWith = <T>(cost: Cost, use: (hasher: PasswordHasher) => Promise<T>): Promise<T> =>
    useHasher(createPasswordHasher({ argon2id: cost, concurrency, engines, queueLimit: 3 * concurrency, now }), use)

  const measure = async (cost: Cost): Promise<Measured> => {
    const hashMs = await hashWith(cost, (hasher) => measureAlone(hasher, now))
    return { cost, hashMs }
  }
  const floor = await measure(least)
  const guesses = [floor]
  // Time is nearly in proportion to memory × iterations; a second step corrects what caches make of it.
  for (let step = 0; step < 2 && floor.hashMs < targetMs; step++) {
    guesses.push(await measure(scaleCost(guesses.at(-1) ?? floor, targetMs, memoryLimit)))
  }
  const distance = ({ hashMs }: Measured): number => Math.abs(hashMs - targetMs)
  const best = guesses.reduce((left, right) => (distance(right) < distance(left) ? right : left))
  const rate = await hashWith(best.cost, async (hasher) => ({
    hashesPerSecond: await measureRate(hasher, concurrency, now),
    engine: (await hasher.engines()).argon2id,
  }))
  const memoryKib = best.cost.memoryKib * concurrency
  return { parameters: best.cost, hashMs: best.hashMs, concurrency, memoryKib, ...rate }
}

interface Measured {
  readonly cost: Cost
  readonly hashMs: number
}

function scaleCost({ cost, hashMs }: Measured, targetMs: number, memoryLimit: number): Cost {
  const work = (cost.memoryKib * cost.iterations * targetMs) / Math.max(hashMs, 0.01)
  const wholeMebibytes = Math.floor(work / least.iterations / mebibyte) * mebibyte
  const memoryKib = Math.min(Math.max(wholeMebibytes, least.memoryKib), memoryLimit)
  const iterations = Math.min(Math.max(Math.round(work / memoryKib), least.iterations), maximumIterations)
  return { memoryKib, iterations, parallelism: 1 }
}

async function useHasher<T>(hasher: PasswordHasher, use: (hasher: PasswordHasher) => Promise<T>): Promise<T> {
  try {
    return await use(hasher)
  } finally {
    await hasher.close()
  }
}

/** The median of five, after one that starts the worker and loads the engine. */
async function measureAlone(hasher: PasswordHasher, now: () => number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 6; round++) {
    const startedAt = now()
    await hasher.hash(sample)
    if (round > 0) times.push(now() - startedAt)
  }
  return times.sort((left, right) => left - right)[2] ?? 0
}

/** All workers at once, three hashes each, after one each that starts them. */
async function measureRate(hasher: PasswordHasher, concurrency: number, now: () => number): Promise<number> {
  const hashAll = (count: number): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, () => hasher.hash(sample)))
  await hashAll(concurrency)
  const startedAt = now()
  await hashAll(3 * concurrency)
  return (3000 * concurrency) / Math.max(now() - startedAt, 0.01)
}
