import { type SecretKeys, sha256 } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type consumeAll, createRateLimit, type RateLimit, type RateLimitVerdict } from '@latchkey/rate-limit'
import type { CounterStore } from '@latchkey/store'
import { checkLockouts, createFailureCounter } from '@latchkey/store/internal'
import type { Attempt } from '../attempt.ts'
import { createRefusals } from './first-refusals.ts'

/** The option of `createAccounts` for a service in which anybody may guess passwords without end, such as a test. */
export const allowUnlimitedAttempts: unique symbol = Symbol('allowUnlimitedAttempts')

export interface GuessingLimitsOptions {
  /** Counts attempts; shared by all processes of the service. */
  readonly counters: CounterStore
  /**
   * Counts wrong passwords in a row: durable, beside the accounts.
   * @default `counters`
   */
  readonly lockouts?: CounterStore
  /** Of the keys of the counters: derive them with `deriveSecrets`. */
  readonly secrets: SecretKeys
  /**
   * How many passwords and codes may be wrong within a minute from one address that no device is known at.
   * @default 30
   */
  readonly perAddress?: number
  /**
   * How many passwords of an account may be wrong within `windowSeconds` from one address, and from one known device.
   * @default 5
   */
  readonly perAccount?: number
  /**
   * How many passwords of an account may be wrong within `windowSeconds` from all unknown devices together.
   * @default 25
   */
  readonly perAccountOfStrangers?: number
  /**
   * How many sign-ins with a passkey may be begun within a minute from one address, and how many second steps with one
   * from a known device.
   * @default 60
   */
  readonly ceremoniesPerAddress?: number
  /**
   * The window of the limits by account. Each full one makes the next one twice as long within a day.
   * @default 900 (15 minutes)
   */
  readonly windowSeconds?: number
  /**
   * How long a window may grow.
   * @default 3600 (an hour)
   */
  readonly longestSeconds?: number
  /**
   * How many wrong passwords without a right one between disable the password of an account: other factors still work, and a
   * reset enables it again.
   * @default 100
   */
  readonly passwordFailures?: number
  /**
   * After how many wrong passwords and codes within a minute, of all accounts, this process emits `guessing.suspected`.
   * @default 300
   */
  readonly alarmAt?: number
  /**
   * The clock of the counters, epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}

/** Whose password is tested, and from where. */
export interface PasswordGuess {
  /** The canonical address, or what was typed in its place: counted whether or not there is an account. */
  readonly identifier: string
  readonly attempt: Attempt
}

/** Limits on guessing, by account, address and device. */
export interface GuessingLimits {
  /** Counts an attempt at a password, before it is tested. */
  takePassword(guess: PasswordGuess): Promise<RateLimitVerdict>
  /** Counts an attempt at a code, before it is tested: its challenge counts as well. */
  takeCode(attempt: Attempt): Promise<RateLimitVerdict>
  /** Counts the begin of a ceremony, for which a record is written. */
  takeCeremony(attempt: Attempt): Promise<RateLimitVerdict>
  /**
   * Returns whether a refusal is the first one of its window, of all processes: the one that is audited. Asked once for each
   * refusal.
   */
  isFirstRefusal(refused: Extract<RateLimitVerdict, { ok: false }>): Promise<boolean>
  readonly passwords: PasswordFailures
  /** Counts a failure of any account: `true` for the one of a minute that raises the alarm. */
  raisesAlarm(): boolean
  readonly alarmAt: number
}

/** Wrong passwords in a row. Where there is no account the same work is done. */
export interface PasswordFailures {
  /** Returns whether there were so many that the password is disabled. */
  isDisabled(failures: number): boolean
  count(accountId: string | null, identifier: string): Promise<number>
  /** Returns whether this very failure has disabled the password. */
  fail(accountId: string | null, identifier: string): Promise<boolean>
  clear(accountId: string): Promise<void>
}

/**
 * Creates the limits on guessing of `createAccounts`. They count before a secret is tested, in one atomic step, so that of
 * many guesses at once no more than the limit are tested; a right one is taken out of the count again. A device that has signed in to
 * the account before has a separate limit, so strangers cannot make it wait. `passwordFailures` counts all devices together.
 *
 * @throws TypeError when an option is unknown, missing or not valid, or when the counters are `eventual`
 * or the lockouts not durable.
 *
 * @example
 * import { createGuessingLimits } from '@latchkey/accounts'
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const limits = createGuessingLimits({
 *   counters: createMemoryCounterStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 * })
 */
export function createGuessingLimits(options: GuessingLimitsOptions): GuessingLimits {
  checkOptionNames('createGuessingLimits', options, optionNames)
  const { counters, lockouts, now = wallClock, alarmAt = 300, passwordFailures = 100 } = options
  checkCount('alarmAt', alarmAt)
  const secrets = checkSecrets(options.secrets)
  const limits = createLimits(options, { counters, secrets, now })
  const { take, isFirst } = createRefusals({ counters, secrets })
  return {
    takePassword: (guess) => take(limitsOfPassword(limits, guess)),
    // A known device is limited by the challenge, and by the factor.
    takeCode: ({ address, device }) => take(device === null ? [[limits.address, addressOf(address)]] : []),
    takeCeremony: ({ address, device }) =>
      take([device === null ? [limits.ceremonies, addressOf(address)] : [limits.ceremonies, 'device', device]]),
    isFirstRefusal: isFirst,
    passwords: createPasswordFailures(checkLockouts({ counters, lockouts }), passwordFailures),
    raisesAlarm: createAlarm(alarmAt, now),
    alarmAt,
  }
}

const optionNames = {
  counters: true,
  lockouts: true,
  secrets: true,
  perAddress: true,
  perAccount: true,
  perAccountOfStrangers: true,
  ceremoniesPerAddress: true,
  windowSeconds: true,
  longestSeconds: true,
  passwordFailures: true,
  alarmAt: true,
  now: true,
} as const

interface Limits {
  readonly address: RateLimit
  readonly account: RateLimit
  readonly device: RateLimit
  readonly strangers: RateLimit
  readonly ceremonies: RateLimit
}

function createLimits(
  options: GuessingLimitsOptions,
  parts: Pick<GuessingLimitsOptions, 'counters' | 'secrets'> & { readonly now: () => number },
): Limits {
  const { perAddress = 30, perAccount = 5, perAccountOfStrangers = 25, ceremoniesPerAddress = 60 } = options
  const { windowSeconds = 900, longestSeconds = Math.max(3600, windowSeconds) } = options
  const perMinute = (name: string, option: string, limit: number): RateLimit =>
    createRateLimit({ ...parts, name, limit: checkCount(option, limit), windowSeconds: 60 })
  const growing = (name: string, option: string, limit: number): RateLimit =>
    createRateLimit({ ...parts, name, limit: checkCount(option, limit), windowSeconds, longestSeconds })
  return {
    address: perMinute('address', 'perAddress', perAddress),
    ceremonies: perMinute('passkey-ceremonies', 'ceremoniesPerAddress', ceremoniesPerAddress),
    account: growing('account', 'perAccount', perAccount),
    device: growing('known-device', 'perAccount', perAccount),
    strangers: growing('account-strangers', 'perAccountOfStrangers', perAccountOfStrangers),
  }
}

/** A known device has places of its own, which no flood of its account or from its address takes. */
function limitsOfPassword(limits: Limits, { identifier, attempt }: PasswordGuess): Parameters<typeof consumeAll>[0] {
  const { device } = attempt
  if (device !== null) return [[limits.device, identifier, device]]
  const address = addressOf(attempt.address)
  return [
    [limits.address, address],
    [limits.account, identifier, address],
    [limits.strangers, identifier],
  ]
}

function addressOf(address: string | null): string {
  return address ?? 'unknown'
}

function createPasswordFailures(lockouts: CounterStore, failuresAtMost: number): PasswordFailures {
  checkCount('passwordFailures', failuresAtMost)
  const counter = createFailureCounter(lockouts, 'password')
  // Of the digest one byte: 256 rows stand for all addresses that no account has.
  const idOf = (accountId: string | null, identifier: string): string =>
    accountId ?? `no-account-${sha256(identifier)[0]}`
  return {
    isDisabled: (failures) => failures >= failuresAtMost,
    count: (accountId, identifier) => counter.read(idOf(accountId, identifier)),
    async fail(accountId, identifier) {
      const failures = await counter.add(idOf(accountId, identifier))
      return accountId !== null && failures === failuresAtMost
    },
    clear: counter.reset,
  }
}

function createAlarm(alarmAt: number, now: () => number): () => boolean {
  let window = { endsAt: 0, failures: 0 }
  return () => {
    const time = now()
    if (time >= window.endsAt) window = { endsAt: time + 60_000, failures: 0 }
    window.failures += 1
    return window.failures === alarmAt
  }
}

function checkCount(option: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new TypeError(`"${option}" must be a whole number of at least 1`)
}
