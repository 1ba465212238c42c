import { checkOptionNames } from '@latchkey/core/internal'
import { checkInteger } from '../check-integer.ts'
import { readPassword } from '../read-password.ts'
import { createBlocklist } from './blocklist.ts'
import type { BreachCheck } from './create-breach-check.ts'

export interface PasswordPolicyOptions {
  /**
   * The least number of characters (Unicode code points): 15 by default, for passwords that are the only factor. 8, the
   * least possible, is meant for accounts with an enforced second factor (NIST SP 800-63B-4 §3.1.1.2).
   */
  readonly minimumCharacters?: number
  /** The longest password in bytes of UTF-8: 1024 by default. Set it to 72 for bcrypt without a pepper. */
  readonly maximumBytes?: number
  /** Further words to treat as common passwords, for example the name of the service. */
  readonly blocklist?: readonly string[]
  /** Looks the password up in known breaches: see `createBreachCheck`. None by default. */
  readonly breachCheck?: BreachCheck
}

/**
 * Why a password is refused:
 * - `malformed`: no text, empty, with a NUL character or a lone surrogate.
 * - `too-long`, `too-short`: more than `maximumBytes`, fewer than `minimumCharacters`.
 * - `common`: put together from common passwords, or from words of the `blocklist`.
 * - `predictable`: repetitions, sequences, dates and keyboard walks, with too little besides.
 * - `context`: put together from words of its owner (`context`).
 * - `breached`: known from a breach.
 * - `unavailable`: the breach check could not be made and is set to refuse then.
 */
export type PasswordRefusal =
  | 'malformed'
  | 'too-long'
  | 'too-short'
  | 'common'
  | 'predictable'
  | 'context'
  | 'breached'
  | 'unavailable'

/** Whether a password may be chosen, and if not, the first rule that it breaks. */
export type PasswordPolicyVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: PasswordRefusal
      /** For `too-short`: the number of required characters, for the message to the user. */
      readonly minimumCharacters?: number
    }

/** Decides whether a password may be chosen. */
export interface PasswordPolicy {
  /** The least number of characters of a password, for hints in a form. Omitted if the policy does not declare it. */
  readonly minimumCharacters?: number
  check(
    password: string,
    options?: {
      /** Words of the account and the service: e-mail address, name, name of the service. */
      readonly context?: readonly string[]
      /** Aborts the breach check; the check then rejects with the signal's reason. */
      readonly signal?: AbortSignal
    },
  ): Promise<PasswordPolicyVerdict>
}

const optionNames = { minimumCharacters: true, maximumBytes: true, blocklist: true, breachCheck: true } as const

/**
 * Creates a policy for new passwords after NIST SP 800-63B-4: length, a blocklist that recognises the usual disguises,
 * words of the owner, and breaches if a check is passed in. No rules of composition, no expiry. Use it when a password
 * is chosen, never at sign-in.
 *
 * @throws TypeError naming the option that is out of range or unknown.
 *
 * @example
 * import { createPasswordPolicy } from '@latchkey/password'
 * const policy = createPasswordPolicy()
 * await policy.check('P4ssw0rd!!!!!!!') // { ok: false, reason: 'common' }
 * await policy.check('otters read') // { ok: false, reason: 'too-short', minimumCharacters: 15 }
 * await policy.check('ada.lovelace1815', { context: ['ada.lovelace@example.com'] }) // { ok: false, reason: 'context' }
 * await policy.check('seven kettles hum') // { ok: true }
 */
export function createPasswordPolicy(options: PasswordPolicyOptions = {}): PasswordPolicy {
  checkOptionNames('createPasswordPolicy', options, optionNames)
  const minimumCharacters = checkInteger('minimumCharacters', options.minimumCharacters ?? 15, 8, 256)
  const maximumBytes = checkInteger('maximumBytes', options.maximumBytes ?? 1024, 64, 1_000_000)
  const weaknessOf = createBlocklist({ minimumCharacters, words: checkWords(options.blocklist ?? []) })
  const breachCheck = checkBreachCheck(options.breachCheck)

  const refusalOf = (password: unknown, context: readonly string[]): PasswordRefusal | null => {
    const input = readPassword(password, maximumBytes)
    if (typeof input === 'string') return input === 'PASSWORD_TOO_LONG' ? 'too-long' : 'malformed'
    if ([...input.text].length < minimumCharacters) return 'too-short'
    return weaknessOf(input.text, context)
  }

  return {
    minimumCharacters,
    async check(password, checkOptions = {}) {
      const { context = [], signal } = checkOptionNames('check', checkOptions, { context: true, signal: true })
      const reason = refusalOf(password, context)
      if (reason) return { ok: false, reason, ...(reason === 'too-short' && { minimumCharacters }) }
      return breachCheck ? breachCheck.check(password, signal ? { signal } : {}) : { ok: true }
    },
  }
}

function checkWords(words: readonly string[]): readonly string[] {
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
  throw new TypeError('"blocklist" must be a list of texts')
}

function checkBreachCheck(breachCheck: BreachCheck | undefined): BreachCheck | undefined {
  if (breachCheck === undefined || typeof breachCheck?.check === 'function') return breachCheck
  throw new TypeError('"breachCheck" must have a method "check": pass the result of createBreachCheck')
}
