import { checkOptionNames } from '@latchkey/core/internal'
import type { AccountsOptions } from './accounts-options.ts'

type ImpersonationOptions = Required<AccountsOptions>['impersonation']

const defaultLifetimeSeconds = 900
const shortestLifetimeSeconds = 60
const longestLifetimeSeconds = 3600

/**
 * Returns the duration of impersonation with its defaults, and whether its owner gets a mail.
 *
 * @throws TypeError that names what is unknown or not valid.
 */
export function readImpersonation(
  given: Omit<ImpersonationOptions, 'mayImpersonate'>,
): Required<Omit<ImpersonationOptions, 'mayImpersonate'>> {
  const { lifetimeSeconds = defaultLifetimeSeconds, notify = true } = checkOptionNames('"impersonation"', given, {
    lifetimeSeconds: true,
    notify: true,
  })
  const isInRange = lifetimeSeconds >= shortestLifetimeSeconds && lifetimeSeconds <= longestLifetimeSeconds
  if (!Number.isInteger(lifetimeSeconds) || !isInRange) {
    throw new TypeError(
      `"impersonation.lifetimeSeconds" must be a whole number of seconds from ${shortestLifetimeSeconds} to ${longestLifetimeSeconds}`,
    )
  }
  if (typeof notify !== 'boolean') throw new TypeError('"impersonation.notify" must be true or false')
  return { lifetimeSeconds, notify }
}

/** @throws TypeError that names the option that cannot be used. */
export function readImpersonationOptions(
  given: ImpersonationOptions | undefined,
): Required<ImpersonationOptions> | null {
  if (given === undefined) return null
  const { mayImpersonate, ...rest } = checkOptionNames('"impersonation"', given, {
    mayImpersonate: true,
    lifetimeSeconds: true,
    notify: true,
  })
  const read = readImpersonation(rest)
  if (typeof mayImpersonate !== 'function') throw new TypeError('"impersonation.mayImpersonate" must be a function')
  return { mayImpersonate, ...read }
}
