import { randomBytes } from '@latchkey/bytes'

/**
 * Returns the version that a new factor begins with: 48 random bits, so that no earlier factor of its id had it, and a
 * database keeps nothing of what was removed. The versions that follow fit a `bigint` column and a number of JavaScript.
 *
 * @example
 * import { firstVersion } from '@latchkey/store'
 * const row = { id: 'totp:acc_1', version: firstVersion() }
 */
export function firstVersion(): number {
  return randomBytes(6).reduce((version, byte) => version * 256 + byte, 1)
}
