import { checkOptionNames } from '@latchkey/core/internal'
import type { SecondFactorPolicy } from '../factors/required-factor.ts'
import { checkRoles } from '../store/account-store.ts'

/** The policy with its default. */
export interface ReadSecondFactorPolicy {
  readonly required: 'all' | readonly string[]
  readonly graceSeconds: number
}

const defaultGraceSeconds = 604_800
const longestGraceSeconds = 31_536_000

/**
 * Returns a policy as `createAccounts` reads it: for who takes one as an option of its own, and opens the accounts later.
 *
 * @throws TypeError that names what is unknown or cannot be used.
 */
export function readSecondFactorPolicy(given: SecondFactorPolicy): ReadSecondFactorPolicy {
  const { required, graceSeconds } = checkOptionNames('"secondFactor"', given, { required: true, graceSeconds: true })
  return { required: readRequired(required), graceSeconds: readGrace(graceSeconds) }
}

function readRequired(required: SecondFactorPolicy['required']): 'all' | readonly string[] {
  if (required === 'all') return required
  if (!Array.isArray(required) || required.length === 0) {
    throw new TypeError('"secondFactor.required" must be \'all\' or a list of roles')
  }
  checkRoles(required, 'secondFactor.required')
  return [...required]
}

function readGrace(seconds = defaultGraceSeconds): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= longestGraceSeconds) return seconds
  throw new TypeError(`"secondFactor.graceSeconds" must be a whole number of seconds from 0 to ${longestGraceSeconds}`)
}
