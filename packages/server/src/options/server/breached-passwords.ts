import { checkOptionNames } from '@latchkey/core/internal'
import { type BreachCheckEvent, createBreachCheck, createPasswordPolicy, type PasswordPolicy } from '@latchkey/password'
import type { FlatOptions } from './flat-options.ts'

type PasswordRules = Pick<FlatOptions, 'passwordPolicy' | 'breachedPasswords'>

const optionNames = {
  whenUnavailable: true,
  url: true,
  fetch: true,
  deadlineMs: true,
  cacheLimit: true,
  cacheSeconds: true,
} as const

interface PolicySurroundings {
  readonly onEvent: (event: BreachCheckEvent) => void
  readonly now: () => number
}

/**
 * Returns the policy of new passwords.
 *
 * @throws TypeError when an option is unknown or cannot be used, or when there are two checks of breaches.
 */
export function readPasswordPolicy(
  { passwordPolicy, breachedPasswords }: PasswordRules,
  { onEvent, now }: PolicySurroundings,
): PasswordPolicy {
  if (breachedPasswords === undefined) return passwordPolicy ?? createPasswordPolicy()
  if (passwordPolicy !== undefined) {
    throw new TypeError(
      '"signIn.breachedPasswords": give "signIn.passwordPolicy" a "breachCheck" of createBreachCheck instead',
    )
  }
  const given = checkOptionNames('createServer', breachedPasswords, optionNames, 'signIn.breachedPasswords')
  return createPasswordPolicy({ breachCheck: createBreachCheck({ ...given, onEvent, now }) })
}
