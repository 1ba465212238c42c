import { equalBytes, randomBytes } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { encodeBase64 } from '../base64.ts'
import { checkInteger } from '../check-integer.ts'
import type { Argon2Job } from '../engines/engine.ts'
import type { PasswordAlgorithm } from './algorithm.ts'
import { isWithin, readNumbers, readPhc } from './phc.ts'
import { type StoredHash, spellComposed } from './stored-hash.ts'

/** The cost of Argon2id (RFC 9106 §3.1). */
export interface Argon2idParameters {
  /** KiB of memory for one hash: 19456 (19 MiB) by default, at most 262144. */
  readonly memoryKib?: number
  /** Passes over the memory: 2 by default, at most 10. */
  readonly iterations?: number
  /** Lanes: 1 by default, at most 8. Only `@node-rs/argon2` and Node compute them at the same time, if at all. */
  readonly parallelism?: number
  /** 16 by default, at most 64. */
  readonly saltBytes?: number
  /** 32 by default, at most 64. */
  readonly outputBytes?: number
}

const limits = { memoryKib: 262_144, iterations: 10, parallelism: 8, bytes: 64 } as const

/** Pairs of equal strength (OWASP, Password Storage Cheat Sheet): the least memory for each number of iterations. */
const leastMemoryKib = [Number.POSITIVE_INFINITY, 47_104, 19_456, 12_288, 9_216, 7_168] as const

const parameterNames = {
  memoryKib: true,
  iterations: true,
  parallelism: true,
  saltBytes: true,
  outputBytes: true,
} as const

/** @throws TypeError naming the parameter that is out of range, or weaker than OWASP's least unless `weak`. */
export function createArgon2id(parameters: Argon2idParameters, weak: boolean): PasswordAlgorithm {
  checkOptionNames('"argon2id"', parameters, parameterNames)
  const { memoryKib = 19_456, iterations = 2, parallelism = 1, saltBytes = 16, outputBytes = 32 } = parameters
  checkInteger('parallelism', parallelism, 1, limits.parallelism)
  checkInteger('iterations', iterations, 1, limits.iterations)
  const least = weak ? 8 * parallelism : (leastMemoryKib[Math.min(iterations, 5)] ?? 0)
  checkInteger('memoryKib', memoryKib, Math.max(least, 8 * parallelism), limits.memoryKib)
  checkInteger('saltBytes', saltBytes, 16, limits.bytes)
  checkInteger('outputBytes', outputBytes, 16, limits.bytes)
  const cost = { memoryKib, iterations, parallelism }
  return {
    name: 'argon2id',
    parameters: { ...cost, saltBytes, outputBytes },
    maximumBytes: null,
    begin(password) {
      const salt = randomBytes(saltBytes)
      const job: Argon2Job = { kind: 'argon2id', password, salt, ...cost, length: outputBytes }
      return { job, write: (output) => writeArgon2id(job, output) }
    },
  }
}

function writeArgon2id({ memoryKib, iterations, parallelism, salt }: Argon2Job, output: Uint8Array): string {
  const cost = `m=${memoryKib},t=${iterations},p=${parallelism}`
  return `$argon2id$v=19$${cost}$${encodeBase64(salt)}$${encodeBase64(output)}`
}

/** Reads `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, and argon2i alike. Version 16, `keyid` and `data` are not read. */
export function readArgon2(kind: Argon2Job['kind'], fields: readonly string[]): StoredHash | null {
  const parts = readPhc(fields)
  const numbers = parts && readNumbers(parts.parameters, ['m', 't', 'p'])
  if (!parts || !numbers || parts.version !== 19) return null
  const { salt, hash } = parts
  const { m: memoryKib, t: iterations, p: parallelism } = numbers
  const isCostBounded =
    isWithin(parallelism, 1, limits.parallelism) &&
    isWithin(iterations, 1, limits.iterations) &&
    isWithin(memoryKib, 8 * parallelism, limits.memoryKib)
  if (!isCostBounded || !isWithin(salt.length, 8, limits.bytes) || !isWithin(hash.length, 16, limits.bytes)) return null
  const cost = { memoryKib, iterations, parallelism }
  return {
    algorithm: kind,
    format: 'phc',
    parameters: { ...cost, saltBytes: salt.length, outputBytes: hash.length },
    spell: spellComposed,
    jobFor: (password) => ({ kind, password, salt, ...cost, length: hash.length }),
    matches: (output) => equalBytes(output, hash),
  }
}
