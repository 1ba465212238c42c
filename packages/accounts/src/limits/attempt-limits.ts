import { type SecretKeys, sha256 } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type consumeAll, createRateLimit, type RateLimit, type RateLimitVerdict } from '@latchkey/rate-limit'
import type { CounterStore } from '@latchkey/store'
import { checkLockouts, createFailureCounter } from '@latchkey/store/internal'
import { createRefusals } from './first-refusals.ts'

/** Allows any number of wrong passwords and codes, for tests. */
export const allowUnlimitedAttempts: unique symbol = Symbol('allowUnlimitedAttempts')

/** Limits on wrong passwords and codes, by account, address and device. */
export interface AttemptLimits {
  /** Counts an attempt at a password, before it is tested. */
  takePassword(guess: {
    /** The canonical address, or the text that was typed instead. It is counted whether or not an account has it. */
    readonly identifier: string
    readonly attempt: { readonly address: string | null; readonly device: string | null }
  }): Promise<RateLimitVerdict>
  /** Counts an attempt at a code, before it is tested: its challenge counts as well. */
  takeCode(attempt: { readonly address: string | null; readonly device: string | null }): Promise<RateLimitVerdict>
  /** Counts the start of a ceremony, which writes a record. */
  takeCeremony(attempt: { readonly address: string | null; readonly device: string | null }): Promise<RateLimitVerdict>
  /** Whether a refusal is the first of its window in all processes, which is audited. To be called once for each refusal. */
  isFirstRefusal(refused: Extract<RateLimitVerdict, { ok: false }>): Promise<boolean>
  /** Wrong passwords in a row. Without an account the work is the same. */
  readonly passwords: {
    /** Whether this number of failures disables the password. */
    isDisabled(failures: number): boolean
    count(accountId: string | null, identifier: string): Promise<number>
    /** Counts a failure, and returns whether it has disabled the password. */
    fail(accountId: string | null, identifier: string): Promise<boolean>
    clear(accountId: string): Promise<void>
  }
  /** Counts a failure of any account, and returns whether it raises the alarm, at most once a minute. */
  raisesAlarm(): boolean
  readonly alarmAt: number
}

type PasswordGuess = Parameters<AttemptLimits['takePassword']>[0]
type Options = Parameters<typeof createAttemptLimits>[0]

/**
 * Creates the limits on wrong passwords and codes. They count before a secret is tested, in one atomic step, so that of many
 * attempts at once no more than the limit are tested; a right one is taken out of the count again. A device that has signed in to
 * the account before has a separate limit, so strangers cannot make it wait. `passwordFailures` counts all devices together.
 *
 * @throws TypeError if an option is unknown, missing or not valid, if the counters are `eventual`, or the lockouts not durable.
 *
 * @example
 * import { createAttemptLimits } from '@latchkey/accounts'
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryCounterStore } from '@latchkey/store'
 * const attemptLimits = createAttemptLimits({
 *   counters: createMemoryCounterStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 * })
 */
export function createAttemptLimits(options: {
  /** Counts attempts; shared by all processes of the service. */
  readonly counters: CounterStore
  /**
   * Counts consecutive wrong passwords: durable, like the accounts.
   * @default `counters`
   */
  readonly lockouts?: CounterStore
  /** Of the keys of the counters: derive them with `deriveSecrets`. */
  readonly secrets: SecretKeys
  /**
   * The number of wrong passwords and codes within a minute from one address without a known device.
   * @default 30
   */
  readonly perAddress?: number
  /**
   * The number of wrong passwords of an account within `windowSeconds` from one address, and from one known device.
   * @default 5
   */
  readonly perAccount?: number
  /**
   * The number of wrong passwords of an account within `windowSeconds` from all unknown devices together.
   * @default 25
   */
  readonly perAccountOfStrangers?: number
  /**
   * The number of passkey sign-ins that start within a minute from one address, and of second steps with a passkey from
   * a known device.
   * @default 60
   */
  readonly ceremoniesPerAddress?: number
  /**
   * The window of the limits by account. A full window doubles the window after it within a day.
   * @default 900 (15 minutes)
   */
  readonly windowSeconds?: number
  /**
   * The longest window.
   * @default 3600 (an hour)
   */
  readonly longestSeconds?: number
  /**
   * The number of wrong passwords in a row that disables the password of an account: other factors still work, and a reset
   * enables it again.
   * @default 100
   */
  readonly passwordFailures?: number
  /**
   * The number of wrong passwords and codes of all accounts within a minute at which this process emits `guessing.suspected`.
   * @default 300
   */
  readonly alarmAt?: number
  /**
   * The clock of the counters, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): AttemptLimits {
  checkOptionNames('createAttemptLimits', options, optionNames)
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
  options: Options,
  parts: Pick<Options, 'counters' | 'secrets'> & { readonly now: () => number },
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

/** A known device has separate places, which a flood of its account or from its address does not take. */
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

function createPasswordFailures(lockouts: CounterStore, failuresAtMost: number): AttemptLimits['passwords'] {
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
