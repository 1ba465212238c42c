import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { checkInteger } from '../check-integer.ts'
import type { HashJob, PasswordEngine } from '../engines/engine.ts'
import { type EngineNames, type KnownEngine, knownEngines } from '../engines/engines.ts'
import { allowWeakHashes, type PasswordAlgorithm } from '../formats/algorithm.ts'
import { type Argon2idParameters, createArgon2id } from '../formats/argon2.ts'
import { createBcrypt } from '../formats/bcrypt.ts'
import { createScrypt } from '../formats/scrypt.ts'
import { createThreadRunner, type HashRunner, withOwnEngines } from '../workers/hash-runner.ts'
import { createWorkerRunner } from '../workers/worker-runner.ts'
import { countCores, findWorkerThreads } from '../workers/worker-threads.ts'
import type { PasswordMeasurement } from './password-measurement.ts'

export interface PasswordHasherOptions {
  /** Hash with Argon2id, and with these parameters. This is the default algorithm. */
  readonly argon2id?: Argon2idParameters
  /** Hash with scrypt instead. */
  readonly scrypt?: {
    /** N, a power of two: 131072 (2^17) by default. One hash takes 128 × N × r bytes of memory. */
    readonly cost?: number
    /** r: 8 by default. */
    readonly blockSize?: number
    /** p: 1 by default. */
    readonly parallelism?: number
  }
  /** Hash with bcrypt instead: passwords of more than 72 bytes are then refused, unless there is a pepper. */
  readonly bcrypt?: {
    /** The logarithm of the number of rounds: 12 to 15, 12 by default. */
    readonly cost?: number
  }
  /**
   * Keys for an HMAC-SHA-256 of the password before the hash: the first key writes, all of them verify. Kept apart from
   * the database, they make stolen hashes useless. If they are lost, no peppered hash can be verified.
   */
  readonly pepper?: SecretKeys
  /**
   * The engine for each kind of hash, by name or your own. Chosen automatically by default; `engines()` shows the
   * choice.
   */
  readonly engines?: {
    readonly argon2id?: '@node-rs/argon2' | 'node:crypto' | 'hash-wasm' | '@noble/hashes' | PasswordEngine
    readonly argon2i?: '@node-rs/argon2' | 'node:crypto' | 'hash-wasm' | '@noble/hashes' | PasswordEngine
    readonly scrypt?: 'node:crypto' | 'hash-wasm' | '@noble/hashes' | PasswordEngine
    readonly bcrypt?: '@node-rs/bcrypt' | 'hash-wasm' | PasswordEngine
    readonly pbkdf2?: 'node:crypto' | 'web-crypto' | PasswordEngine
  }
  /** Hashes computed at once: the number of cores by default. Each takes the memory of one hash. */
  readonly concurrency?: number
  /** The number of passwords that may wait in each lane: 200 by default. A further password is refused. */
  readonly queueLimit?: number
  /** The longest password in bytes of UTF-8: 1024 by default. */
  readonly maximumBytes?: number
  /** `allowWeakHashes` permits parameters below OWASP's least, for tests that need to be fast. */
  readonly strength?: typeof allowWeakHashes
  /** The clock in milliseconds. */
  readonly now?: () => number
  /**
   * Receives the waiting and computing time of each hash. Its errors are ignored. Without it there are no measurements.
   */
  readonly onMeasurement?: (measurement: PasswordMeasurement) => void
}

/** The options of a hasher, checked and with their defaults. */
export interface CheckedHasherOptions {
  readonly algorithm: PasswordAlgorithm
  readonly pepper: SecretKeys | undefined
  readonly runner: HashRunner
  readonly concurrency: number
  readonly queueLimit: number
  readonly maximumBytes: number
  readonly now: () => number
  readonly onMeasurement: PasswordHasherOptions['onMeasurement']
}

const kindNames = { argon2id: true, argon2i: true, scrypt: true, bcrypt: true, pbkdf2: true } as const

const optionNames = {
  argon2id: true,
  scrypt: true,
  bcrypt: true,
  pepper: true,
  engines: true,
  concurrency: true,
  queueLimit: true,
  maximumBytes: true,
  strength: true,
  now: true,
  onMeasurement: true,
} as const

/** @throws TypeError naming the option that is out of range or unknown. */
export function readHasherOptions(options: PasswordHasherOptions): CheckedHasherOptions {
  checkOptionNames('createPasswordHasher', options, optionNames)
  const { concurrency = countCores(), queueLimit = 200, maximumBytes = 1024, now = wallClock } = options
  return {
    algorithm: chooseAlgorithm(options),
    pepper: options.pepper && deriveSecrets(checkSecrets(options.pepper, 'pepper'), 'password-pepper'),
    runner: createRunner(options.engines ?? {}),
    concurrency: checkInteger('concurrency', concurrency, 1, 1024),
    queueLimit: checkInteger('queueLimit', queueLimit, 0, 1_000_000),
    maximumBytes: checkInteger('maximumBytes', maximumBytes, 64, 1_000_000),
    now,
    onMeasurement: options.onMeasurement,
  }
}

function chooseAlgorithm({ argon2id, scrypt, bcrypt, strength }: PasswordHasherOptions): PasswordAlgorithm {
  const given = [argon2id, scrypt, bcrypt].filter((parameters) => parameters !== undefined)
  if (given.length > 1) throw new TypeError('"argon2id", "scrypt" and "bcrypt" exclude each other')
  const weak = strength === allowWeakHashes
  if (strength !== undefined && !weak) throw new TypeError('"strength" must be allowWeakHashes')
  if (scrypt) return createScrypt(scrypt, weak)
  return bcrypt ? createBcrypt(bcrypt, weak) : createArgon2id(argon2id ?? {}, weak)
}

function createRunner(choice: NonNullable<PasswordHasherOptions['engines']>): HashRunner {
  const named: Record<string, string> = {}
  const own = new Map<HashJob['kind'], PasswordEngine>()
  for (const [kind, engine] of Object.entries(checkOptionNames('"engines"', choice, kindNames))) {
    if (!isKind(kind) || engine === undefined) continue
    if (typeof engine === 'string') named[kind] = checkEngineName(kind, engine)
    else if (engine.kinds.includes(kind)) own.set(kind, engine)
    else throw new TypeError(`"engines": "${engine.name}" does not compute ${kind}`)
  }
  const threads = findWorkerThreads()
  const runner = threads ? createWorkerRunner(threads, named as EngineNames) : createThreadRunner(named as EngineNames)
  return withOwnEngines(runner, own)
}

function isKind(kind: string): kind is HashJob['kind'] {
  return Object.hasOwn(knownEngines, kind)
}

function checkEngineName(kind: HashJob['kind'], name: KnownEngine): KnownEngine {
  const known: readonly KnownEngine[] = knownEngines[kind]
  if (known.includes(name)) return name
  throw new TypeError(`"engines": "${name}" does not compute ${kind}; one of these does: ${known.join(', ')}`)
}
