import { checkOptionNames } from '@latchkey/core/internal'
import type { AccountsOptions } from './accounts-options.ts'

type EmailCodeOptions = Required<AccountsOptions['signIn']>['emailCode']

/**
 * Returns `signIn.emailCode` with its defaults.
 *
 * @throws TypeError that names what is unknown or not valid.
 */
export function readEmailCode(given: EmailCodeOptions): Required<EmailCodeOptions> {
  const { lifetimeSeconds = 600 } = checkOptionNames('"signIn.emailCode"', given, { lifetimeSeconds: true })
  if (Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 60 && lifetimeSeconds <= 600) return { lifetimeSeconds }
  throw new TypeError('"signIn.emailCode.lifetimeSeconds" must be a whole number of seconds from 60 to 600')
}
