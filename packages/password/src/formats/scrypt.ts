import { equalBytes, randomBytes } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { encodeBase64 } from '../base64.ts'
import { checkInteger } from '../check-integer.ts'
import type { ScryptJob } from '../engines/engine.ts'
import type { PasswordAlgorithm } from './algorithm.ts'
import { isWithin, readNumbers, readPhc } from './phc.ts'
import { type StoredHash, spellComposed } from './stored-hash.ts'

/** The numbers of one scrypt computation. */
export interface ScryptCost {
  readonly cost: number
  readonly blockSize: number
  readonly parallelism: number
}

const memoryLimit = 256 * 1024 * 1024
const workLimit = 2 ** 22

/** Returns whether scrypt with these numbers stays within 256 MiB and a few seconds. */
export function isScryptBounded({ cost, blockSize, parallelism }: ScryptCost): boolean {
  const isPowerOfTwo = cost > 1 && (cost & (cost - 1)) === 0
  return (
    isPowerOfTwo &&
    isWithin(blockSize, 1, 64) &&
    isWithin(parallelism, 1, 16) &&
    128 * cost * blockSize <= memoryLimit &&
    cost * blockSize * parallelism <= workLimit
  )
}

/** The minimum of OWASP's cheat sheet: 2^17/8/1, and equal work with less memory. */
function isScryptStrong({ cost, blockSize, parallelism }: ScryptCost): boolean {
  const least: Record<number, number> = { 131072: 1, 65536: 2, 32768: 3, 16384: 5, 8192: 10 }
  return blockSize >= 8 && (cost > 131_072 || parallelism >= (least[cost] ?? Number.POSITIVE_INFINITY))
}

const saltBytes = 16
const outputBytes = 32

/** @throws TypeError naming what is out of range, or weaker than OWASP's least unless `weak`. */
export function createScrypt(parameters: Partial<ScryptCost>, weak: boolean): PasswordAlgorithm {
  checkOptionNames('"scrypt"', parameters, { cost: true, blockSize: true, parallelism: true })
  const cost = {
    cost: parameters.cost ?? 131_072,
    blockSize: parameters.blockSize ?? 8,
    parallelism: parameters.parallelism ?? 1,
  }
  for (const [name, value] of Object.entries(cost)) checkInteger(name, value, 1, 2 ** 30)
  if (!isScryptBounded(cost))
    throw new TypeError('"scrypt": "cost" must be a power of two, within 256 MiB and 2^22 blocks')
  if (!weak && !isScryptStrong(cost))
    throw new TypeError('"scrypt" must be at least 2^17/8/1, 2^16/8/2, 2^15/8/3, 2^14/8/5 or 2^13/8/10')
  return {
    name: 'scrypt',
    parameters: { ...cost, saltBytes, outputBytes },
    maximumBytes: null,
    begin(password) {
      const salt = randomBytes(saltBytes)
      const job: ScryptJob = { kind: 'scrypt', password, salt, ...cost, length: outputBytes }
      return { job, write: (output) => writeScrypt(job, output) }
    },
  }
}

function writeScrypt({ cost, blockSize, parallelism, salt }: ScryptJob, output: Uint8Array): string {
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelism}`
  return `$scrypt$${parameters}$${encodeBase64(salt)}$${encodeBase64(output)}`
}

/** Reads `$scrypt$ln=…,r=…,p=…$salt$hash`. */
export function readScrypt(fields: readonly string[]): StoredHash | null {
  const parts = readPhc(fields)
  const numbers = parts && readNumbers(parts.parameters, ['ln', 'r', 'p'])
  if (!parts || !numbers || parts.version !== null || numbers.ln > 30) return null
  const { salt, hash } = parts
  const cost = { cost: 2 ** numbers.ln, blockSize: numbers.r, parallelism: numbers.p }
  if (!isScryptBounded(cost) || !isWithin(salt.length, 1, 64) || !isWithin(hash.length, 16, 64)) return null
  return {
    algorithm: 'scrypt',
    format: 'phc',
    parameters: { ...cost, saltBytes: salt.length, outputBytes: hash.length },
    spell: spellComposed,
    jobFor: (password) => ({ kind: 'scrypt', password, salt, ...cost, length: hash.length }),
    matches: (output) => equalBytes(output, hash),
  }
}

const betterAuthNotation = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const betterAuthCost = { cost: 16_384, blockSize: 16, parallelism: 1 } as const

/** Reads better-auth's `salt:key`: scrypt, the salt hashed as the text of its hexadecimal digits, the password as NFKC. */
export function readBetterAuth(text: string): StoredHash | null {
  const [, salt, key] = betterAuthNotation.exec(text) ?? []
  if (!salt || !key) return null
  const hash = Uint8Array.from({ length: 64 }, (_, index) => Number.parseInt(key.slice(2 * index, 2 * index + 2), 16))
  return {
    algorithm: 'scrypt',
    format: 'better-auth',
    parameters: { ...betterAuthCost, saltBytes: 16, outputBytes: 64 },
    spell: ({ typed }) => typed.normalize('NFKC'),
    jobFor: (password) => ({
      kind: 'scrypt',
      password,
      salt: new TextEncoder().encode(salt),
      ...betterAuthCost,
      length: 64,
    }),
    matches: (output) => equalBytes(output, hash),
  }
}
