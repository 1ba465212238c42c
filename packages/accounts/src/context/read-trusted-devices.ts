import { checkOptionNames } from '@latchkey/core/internal'
import type { AccountsOptions } from './accounts-options.ts'

type TrustedDevicesOptions = Required<AccountsOptions['signIn']>['trustedDevices']

const longestDays = 365

/**
 * Returns `signIn.trustedDevices`.
 *
 * @throws TypeError that names what is unknown or not valid.
 */
export function readTrustedDevices(given: TrustedDevicesOptions): TrustedDevicesOptions {
  const { days } = checkOptionNames('"signIn.trustedDevices"', given, { days: true })
  if (Number.isInteger(days) && days >= 1 && days <= longestDays) return { days }
  throw new TypeError(`"signIn.trustedDevices.days" must be a whole number of days from 1 to ${longestDays}`)
}
