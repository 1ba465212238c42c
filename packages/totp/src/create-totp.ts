import { type ConfirmOptions, confirmTotp } from './confirm-totp.ts'
import { type Enrollment, type EnrollOptions, enrollTotp, importTotpSecret } from './enroll-totp.ts'
import type { FactorVerdict } from './factor-verdict.ts'
import { type EnrolledTotp, findTotp } from './find-totp.ts'
import { createTotpContext, type TotpOptions } from './totp-context.ts'
import { verifyTotp } from './verify-totp.ts'

/** Codes of an authenticator app (RFC 6238): six digits, thirty seconds, SHA-1. Whatever the store throws passes through. */
export interface Totp {
  /**
   * Begins an enrolment and returns what the app needs, once. A factor that the account has stays in force until the
   * new one is confirmed; another enrolment that was begun ends.
   *
   * @param accountName what the app shows beside the issuer, for example the address of the account.
   */
  enroll(accountId: string, accountName: string, options?: EnrollOptions): Promise<Enrollment>
  /**
   * Puts the enrolment into force when the code is right, in place of a factor that the account had; exactly one call
   * does. Five wrong codes end the enrolment.
   */
  confirm(accountId: string, code: string, options?: ConfirmOptions): Promise<FactorVerdict>
  /** Returns whether a code is right. Each is accepted once, by exactly one call, and none that is older than it. */
  verify(accountId: string, code: string): Promise<FactorVerdict>
  /**
   * Puts the secret of an app that was enrolled with another system into force, so that the app goes on: true for exactly one
   * call, `false` when the account has a factor. The bytes are those of HMAC, 16 to 64 of them: what `secret` of the
   * `otpauth:` link says in base32. That system must have used six digits, thirty seconds and SHA-1. Then write down that the
   * account has a factor, before its password signs anyone in.
   */
  importSecret(accountId: string, secret: Uint8Array): Promise<boolean>
  /** Returns the factor that is in force, or `null`. */
  find(accountId: string): Promise<EnrolledTotp | null>
  /** Removes the factor and ends an enrolment: true for exactly one caller, false when there is no factor. */
  remove(accountId: string): Promise<boolean>
}

/**
 * Creates the factor for codes of an authenticator app.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryCounterStore, createMemoryFactorStore } from '@latchkey/store'
 * import { createTotp } from '@latchkey/totp'
 * const totp = createTotp({
 *   factors: createMemoryFactorStore(),
 *   lockouts: createMemoryCounterStore(),
 *   secrets: [{ id: '2026-01', bytes: randomBytes(32) }],
 *   issuer: 'Example',
 * })
 * const { qrCodeSvg } = await totp.enroll('acc_1', 'ada@example.com')
 * await totp.verify('acc_1', '123456') // { ok: false, reason: 'not-enrolled' }: nothing was confirmed yet
 */
export function createTotp(options: TotpOptions): Totp {
  const context = createTotpContext(options)
  return {
    enroll: (accountId, accountName, { binding = null } = {}) => enrollTotp(context, accountId, accountName, binding),
    confirm: (accountId, code, confirmOptions = {}) => confirmTotp(context, accountId, code, confirmOptions),
    verify: (accountId, code) => verifyTotp(context, accountId, code),
    importSecret: (accountId, secret) => importTotpSecret(context, accountId, secret),
    find: (accountId) => findTotp(context, accountId),
    async remove(accountId) {
      await context.factors.remove(context.pending.idOf(accountId))
      return context.factors.remove(context.active.idOf(accountId))
    },
  }
}
