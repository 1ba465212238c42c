import { equalBytes, randomBytes } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { decodeBcryptBase64, encodeBcryptBase64 } from '../base64.ts'
import { checkInteger } from '../check-integer.ts'
import type { BcryptJob } from '../engines/engine.ts'
import type { PasswordAlgorithm } from './algorithm.ts'
import { type StoredHash, spellComposed } from './stored-hash.ts'

/** The bytes of a password that bcrypt reads. Longer passwords are refused, because the rest would be ignored. */
const bcryptMaximumBytes = 72

/** @throws TypeError when the cost is not from 12 to 15 (from 4 if `weak`). */
export function createBcrypt(parameters: { readonly cost?: number }, weak: boolean): PasswordAlgorithm {
  checkOptionNames('"bcrypt"', parameters, { cost: true })
  const cost = checkInteger('cost', parameters.cost ?? 12, weak ? 4 : 12, 15)
  return {
    name: 'bcrypt',
    parameters: { cost },
    maximumBytes: bcryptMaximumBytes,
    begin(password) {
      const job: BcryptJob = { kind: 'bcrypt', password, salt: randomBytes(16), cost }
      return { job, write: (output) => writeBcrypt(job, output) }
    },
  }
}

function writeBcrypt({ cost, salt }: BcryptJob, output: Uint8Array): string {
  return `$2b$${String(cost).padStart(2, '0')}$${encodeBcryptBase64(salt)}${encodeBcryptBase64(output)}`
}

const notation = /^\$2[aby]\$(0[4-9]|1[0-5])\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/

/** Reads `$2a$`, `$2b$` and `$2y$`, which say the same for passwords of up to 72 bytes. `$2x$` marks a broken one. */
export function readBcrypt(text: string): StoredHash | null {
  const [, costText, saltText, hashText] = notation.exec(text) ?? []
  if (!costText || !saltText || !hashText) return null
  const salt = decodeBcryptBase64(canonicalSalt(saltText))
  const hash = decodeBcryptBase64(hashText)
  if (!salt || !hash) return null
  const cost = Number(costText)
  return {
    algorithm: 'bcrypt',
    format: 'bcrypt',
    parameters: { cost },
    spell: spellComposed,
    jobFor: (password) => (password.length <= bcryptMaximumBytes ? { kind: 'bcrypt', password, salt, cost } : null),
    matches: (output) => equalBytes(output, hash),
  }
}

/** Salts that people composed themselves end in bits that every implementation ignores. */
function canonicalSalt(text: string): string {
  const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const last = alphabet.indexOf(text.slice(-1)) & 0b110000
  return text.slice(0, -1) + alphabet[last]
}
