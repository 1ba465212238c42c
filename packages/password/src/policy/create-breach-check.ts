import type { LatchkeyEvent } from '@latchkey/core'
import { checkOptionNames, createEmitter, wallClock } from '@latchkey/core/internal'
import { abortable } from '../abortable.ts'
import { type BreachRangeOptions, createBreachRanges } from './breach-ranges.ts'

/** The service could not be asked. */
export interface BreachCheckEvent extends LatchkeyEvent {
  readonly type: 'breach-check.failed'
  /** Whether the password was accepted all the same. */
  readonly accepted: boolean
  /** What was thrown, with its stack; it holds nothing secret. Not enumerable: a log has to name it. */
  readonly cause: unknown
}

export interface BreachCheckOptions extends BreachRangeOptions {
  /** What a password is when the service cannot be asked: `accept` it, or `refuse` it with the reason `unavailable`. */
  readonly whenUnavailable: 'accept' | 'refuse'
  /**
   * Called each time the service could not be asked. What it throws is ignored.
   * @default prints the cause with `console.error`
   */
  readonly onEvent?: (event: BreachCheckEvent) => void
}

/** `ok` is true for a password in no known breach, and when the service cannot be asked and `whenUnavailable` is `accept`. */
export type BreachVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: 'breached' | 'unavailable' }

/** Looks passwords up in known breaches. */
export interface BreachCheck {
  /** Rejects only with the reason of the signal: a service that cannot be asked is a verdict. */
  check(password: string, options?: { readonly signal?: AbortSignal }): Promise<BreachVerdict>
}

const optionNames = {
  whenUnavailable: true,
  onEvent: true,
  fetch: true,
  url: true,
  deadlineMs: true,
  cacheLimit: true,
  cacheSeconds: true,
  now: true,
} as const

/**
 * Creates a check against the passwords of known breaches that does not disclose the password: five of the 40
 * hexadecimal digits of its SHA-1 are sent, the roughly one thousand candidates of the answer are searched locally, and
 * padding keeps the length of the answer from revealing which range it is.
 *
 * @throws TypeError naming the option that is out of range or unknown, or a `url` that is neither https nor on loopback.
 *
 * @example
 * import { createBreachCheck, createPasswordPolicy } from '@latchkey/password'
 * const breachCheck = createBreachCheck({ whenUnavailable: 'accept', onEvent: ({ cause }) => console.warn(cause) })
 * const policy = createPasswordPolicy({ breachCheck })
 * await policy.check('correct horse battery staple') // { ok: false, reason: 'breached' }
 */
export function createBreachCheck(options: BreachCheckOptions): BreachCheck {
  const { whenUnavailable, onEvent, now = wallClock } = checkOptionNames('createBreachCheck', options, optionNames)
  if (whenUnavailable !== 'accept' && whenUnavailable !== 'refuse') {
    throw new TypeError('"whenUnavailable" must be "accept" or "refuse"')
  }
  const readRange = createBreachRanges(options)
  const emit = createEmitter<BreachCheckEvent>({ onEvent, now })
  return {
    async check(password, checkOptions = {}) {
      const { signal } = checkOptionNames('check', checkOptions, { signal: true })
      signal?.throwIfAborted()
      const digest = await hexSha1(password.normalize('NFC'))
      try {
        const range = await abortable(readRange(digest.slice(0, 5)), signal)
        return range.has(digest.slice(5)) ? { ok: false, reason: 'breached' } : { ok: true }
      } catch (cause) {
        signal?.throwIfAborted()
        const accepted = whenUnavailable === 'accept'
        emit({ type: 'breach-check.failed', accepted, cause })
        return accepted ? { ok: true } : { ok: false, reason: 'unavailable' }
      }
    },
  }
}

async function hexSha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()
}
