import { describeFailure } from '@latchkey/core/internal'
import type { RateLimitVerdict } from '@latchkey/rate-limit'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { AccountsError } from '../errors.ts'
import type { StoredAccount } from '../store/account-store.ts'
import type { PresentedFactor, TestedFactor } from './test-factor.ts'

/** The limits on attempts, and the parts that report a refusal. */
type Guarding = Pick<AccountsContext, 'attemptLimits' | 'emit' | 'trail' | 'mails' | 'mailLinks' | 'now'>

/** A password that is about to be tested. */
export interface GuardedPassword {
  readonly account: StoredAccount | null
  /** The canonical address of the account, or the text that was typed instead. */
  readonly identifier: string
  readonly attempt: JudgedAttempt
}

/** A place for one test of a password. */
export interface PasswordGuard {
  /** Counts the outcome. `false`: after too many failures in a row a right password counts as wrong. */
  settle(isRight: boolean): Promise<boolean>
  /** Returns the place if the password was not tested. */
  release(): Promise<void>
}

const unguarded: PasswordGuard = { settle: async (isRight) => isRight, release: async () => undefined }

/**
 * Counts a test of a password before it is made: before any hash is computed, whether or not there is an account.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED when there were too many.
 */
export async function guardPassword(context: Guarding, guarded: GuardedPassword): Promise<PasswordGuard> {
  const { attemptLimits } = context
  if (attemptLimits === null) return unguarded
  const { account, identifier, attempt } = guarded
  const accountId = account?.id ?? null
  const verdict = await attemptLimits.takePassword({ identifier, attempt })
  const place = await permit(context, verdict, { ...named(account, identifier), attempt })
  return {
    async settle(isRight) {
      const failures = await attemptLimits.passwords.count(accountId, identifier)
      const counts = isRight && !attemptLimits.passwords.isDisabled(failures)
      if (counts) {
        await place.giveBack()
        if (failures > 0 && accountId !== null) await attemptLimits.passwords.clear(accountId)
        return true
      }
      suspect({ attemptLimits, emit: context.emit }, attempt)
      const failing = attemptLimits.passwords.fail(accountId, identifier).then(async (hasDisabled) => {
        if (hasDisabled && account) await sayDisabled(context, { account, attempt })
      })
      await Promise.all([failing, place.fail()])
      return false
    },
    release: () => place.giveBack(),
  }
}

/** Computes the hash of a password that is guarded. One that was not computed counts nowhere. */
export async function verifyGuarded(
  { passwordHasher }: Pick<AccountsContext, 'passwordHasher'>,
  guard: PasswordGuard,
  { password, hash }: { readonly password: string; readonly hash: string | null },
): Promise<{ readonly ok: boolean; readonly needsRehash: boolean }> {
  return releaseOnFailure(guard, passwordHasher.verify(password, hash))
}

/**
 * Waits for a test that is guarded. A test that was not made counts nowhere: the place is returned before the error is
 * thrown, because the next attempt of the caller may need it.
 */
export async function releaseOnFailure<RateLimitVerdict>(
  guard: PasswordGuard,
  test: Promise<RateLimitVerdict>,
): Promise<RateLimitVerdict> {
  try {
    return await test
  } catch (error) {
    await guard.release().catch(() => undefined)
    throw error
  }
}

/** A presented factor, with its account and origin. */
export interface GuardedFactor {
  readonly accountId: string
  readonly shown: PresentedFactor
  readonly attempt: JudgedAttempt
}

/**
 * Counts a test of a code before it is made. Passkeys cannot be guessed, so they are not counted.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED when too many codes and passwords came from the address.
 */
export async function guardCode(
  context: Guarding,
  { accountId, shown, attempt }: GuardedFactor,
  test: () => Promise<TestedFactor>,
): Promise<TestedFactor> {
  const { attemptLimits } = context
  if (attemptLimits === null || !('code' in shown)) return test()
  const place = await permit(context, await attemptLimits.takeCode(attempt), { accountId, attempt })
  const tested = await test()
  // A code that was tested and did not count. What lost a race was a right one.
  if (tested.outcome !== 'factor-wrong' && tested.outcome !== 'factor-used') {
    await giveBackTested(context, place, { accountId, attempt })
    return tested
  }
  suspect({ attemptLimits, emit: context.emit }, attempt)
  await place.fail()
  return tested
}

/**
 * An accepted code is consumed by now, and may have activated a factor. So a failure here must not reject it, and the
 * attempt stays counted.
 */
async function giveBackTested(
  { emit }: Guarding,
  place: Extract<RateLimitVerdict, { ok: true }>,
  of: { readonly accountId: string; readonly attempt: JudgedAttempt },
): Promise<void> {
  try {
    await place.giveBack()
  } catch (cause) {
    const { accountId, attempt } = of
    emit({ type: 'clean-up.failed', ...attempt, accountId, failure: describeFailure(cause), cause })
  }
}

/** @throws AccountsError ATTEMPTS_RATE_LIMITED if too many ceremonies were started from the address. */
export async function guardCeremony(context: Guarding, attempt: JudgedAttempt): Promise<void> {
  if (context.attemptLimits)
    await permit(context, await context.attemptLimits.takeCeremony(attempt), { accountId: null, attempt })
}

/**
 * Counts a link that does not exist as a wrong code.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED if too many came from the address.
 */
export async function countUnknownLink(context: Guarding, attempt: JudgedAttempt): Promise<void> {
  const { attemptLimits, emit } = context
  if (attemptLimits === null) return
  const place = await permit(context, await attemptLimits.takeCode(attempt), { accountId: null, attempt })
  suspect({ attemptLimits, emit }, attempt)
  await place.fail()
}

interface Said {
  readonly accountId: string | null
  /** The typed text if no account has it, for the audit. */
  readonly identifier?: string
  readonly attempt: JudgedAttempt
}

/** Returns whom an attempt is about. */
export function named(account: StoredAccount | null, identifier: string): Omit<Said, 'attempt'> {
  return account ? { accountId: account.id } : { accountId: null, identifier }
}

/** The first refusal of a window is audited: those after it would fill the log, and say the same. */
async function permit(
  { trail, attemptLimits }: Guarding,
  verdict: RateLimitVerdict,
  said: Said,
): Promise<Extract<RateLimitVerdict, { ok: true }>> {
  if (verdict.ok) return verdict
  const { policy, retryAfterSeconds } = verdict
  const { attempt, ...of } = said
  const isFirst = async (): Promise<boolean> => (await attemptLimits?.isFirstRefusal(verdict)) !== false
  await trail.record({ type: 'sign-in.throttled', ...attempt, ...of, limit: policy.name }, isFirst)
  throw new AccountsError('ATTEMPTS_RATE_LIMITED', 'too many attempts', { policy, retryAfterSeconds })
}

interface Alarming extends Pick<Guarding, 'emit'> {
  readonly attemptLimits: NonNullable<Guarding['attemptLimits']>
}

function suspect({ attemptLimits, emit }: Alarming, of: JudgedAttempt): void {
  if (!attemptLimits.raisesAlarm()) return
  emit({ type: 'guessing.suspected', channel: of.channel, failures: attemptLimits.alarmAt, seconds: 60 })
}

async function sayDisabled(
  { trail, mails, mailLinks, now }: Guarding,
  {
    account: { id: accountId, email: to },
    attempt,
  }: { readonly account: StoredAccount; readonly attempt: JudgedAttempt },
): Promise<void> {
  const data = { at: now(), resetUrl: mailLinks.requestPasswordReset, reason: 'guessing' } as const
  const mail = { kind: 'account-locked', data } as const
  mails.send({ mail, accountId, attempt, to })
  await trail.record({ type: 'password.disabled', ...attempt, accountId })
}
