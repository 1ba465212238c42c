import { checkOptionNames } from '@latchkey/core/internal'
import {
  type BreachCheckEvent,
  type BreachCheckOptions,
  createBreachCheck,
  createPasswordPolicy,
  type PasswordPolicy,
} from '@latchkey/password'

/** How new passwords are looked up in known breaches: options of `createBreachCheck` of `@latchkey/password`. */
export type BreachedPasswordOptions = Omit<BreachCheckOptions, 'onEvent' | 'now'>

export interface PasswordRules {
  readonly passwordPolicy?: PasswordPolicy
  readonly breachedPasswords?: BreachedPasswordOptions
}

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
    throw new TypeError('"breachedPasswords": give "passwordPolicy" a "breachCheck" of createBreachCheck instead')
  }
  const given = checkOptionNames('"breachedPasswords"', breachedPasswords, optionNames)
  return createPasswordPolicy({ breachCheck: createBreachCheck({ ...given, onEvent, now }) })
}
