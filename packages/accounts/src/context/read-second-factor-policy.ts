import { checkOptionNames } from '@latchkey/core/internal'
import { checkRoles } from '../store/account-store.ts'
import type { AccountsOptions } from './accounts-options.ts'

type SecondFactorPolicy = Required<AccountsOptions['signIn']>['secondFactor']

const defaultGraceSeconds = 604_800
const longestGraceSeconds = 31_536_000

/**
 * Returns `signIn.secondFactor` with its defaults.
 *
 * @throws TypeError that names what is unknown or not valid.
 */
export function readSecondFactorPolicy(given: SecondFactorPolicy): Required<SecondFactorPolicy> {
  const { required, graceSeconds } = checkOptionNames('"signIn.secondFactor"', given, {
    required: true,
    graceSeconds: true,
  })
  return { required: readRequired(required), graceSeconds: readGrace(graceSeconds) }
}

function readRequired(required: SecondFactorPolicy['required']): 'all' | readonly string[] {
  if (required === 'all') return required
  if (!Array.isArray(required) || required.length === 0) {
    throw new TypeError('"signIn.secondFactor.required" must be \'all\' or a list of roles')
  }
  checkRoles(required, 'signIn.secondFactor.required')
  return [...required]
}

function readGrace(seconds = defaultGraceSeconds): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= longestGraceSeconds) return seconds
  throw new TypeError(
    `"signIn.secondFactor.graceSeconds" must be a whole number of seconds from 0 to ${longestGraceSeconds}`,
  )
}
