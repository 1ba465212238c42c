import { checkOptionNames, createEmitter, wallClock } from '@latchkey/core/internal'
import { abortable } from '../abortable.ts'
import type { BreachCheckEvent, BreachCheckOptions } from './breach-check-options.ts'
import { createBreachRanges } from './breach-ranges.ts'

/** Looks passwords up in known breaches. */
export interface BreachCheck {
  /**
   * Returns `ok: true` for a password in no known breach, and if the service is unavailable and `whenUnavailable` is `accept`.
   * Rejects only with the reason of the signal: a service that cannot be asked is a verdict.
   */
  check(
    password: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: 'breached' | 'unavailable' }>
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
