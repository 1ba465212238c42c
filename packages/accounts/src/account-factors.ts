import type { EnrolledPasskey } from '@latchkey/store'
import { checkAttempt } from './attempt.ts'
import { checkOwner } from './check-owner.ts'
import type { AccountsContext } from './context/accounts-context.ts'
import type { Refusal } from './errors.ts'

import type { Account } from './store/account-store.ts'
import type { AdministrationInput } from './use-cases/administration/administer.ts'
import type { SignInResult } from './use-cases/continue-sign-in.ts'
import { verifySecondFactor } from './use-cases/factors/answer-second-factor.ts'
import { disableTotp } from './use-cases/factors/disable-totp.ts'
import type {
  CodeInput,
  EnrollmentResult,
  FactorChangeResult,
  FactorInput,
  FinishPasskeyRegistrationInput,
  FinishPasskeySignInInput,
  ListedFactor,
  PasskeyAdded,
  PasskeyRequest,
  RegenerateRecoveryCodesInput,
  RemovePasskeyInput,
  RenamePasskeyInput,
  StartPasskeySignInInput,
  StepUpChallenge,
  StepUpInput,
  VerifySecondFactorInput,
} from './use-cases/factors/factor-inputs.ts'
import { listFactors, listPasskeys } from './use-cases/factors/list-factors.ts'
import { finishPasskeyRegistration, startPasskeyRegistration } from './use-cases/factors/passkey-registration.ts'
import { finishPasskeySignIn, startPasskeySignIn } from './use-cases/factors/passkey-sign-in.ts'
import { regenerateRecoveryCodes } from './use-cases/factors/regenerate-recovery-codes.ts'
import { removePasskey } from './use-cases/factors/remove-passkey.ts'
import { renamePasskey } from './use-cases/factors/rename-passkey.ts'
import { resetFactors } from './use-cases/factors/reset-factors.ts'
import { startStepUp } from './use-cases/factors/start-step-up.ts'
import { confirmTotpEnrollment, startTotpEnrollment } from './use-cases/factors/totp-enrollment.ts'
import type { SignInSuccess } from './use-cases/open-credentials.ts'

/**
 * The second factors of an account: what `Accounts` can do when it was given `totp` or `passkeys`. Without them each of
 * these but the lists throws `FACTOR_UNAVAILABLE`.
 *
 * Whatever adds, replaces or removes a factor ends all sessions and families but the one of the request, whose credential
 * is renewed as by `changePassword`, mails the owner, and is an event. None of them asks for a fresh proof: that is the rule
 * of who calls.
 */
export interface AccountFactors {
  /**
   * Answers the challenge of a sign-in or of a step-up with a code of an authenticator app or a recovery code. A sign-in is
   * delivered as `delivery` says; a step-up renews the credential of `identity` in the form in which it came, and the old
   * one is dead at once.
   * @returns `reason: 'invalid-credentials'` for a wrong or used code, and for a challenge that has ended: after five minutes,
   * five codes, or the one right answer.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, FACTOR_UNAVAILABLE.
   */
  verifySecondFactor(input: VerifySecondFactorInput): Promise<SignInSuccess | Refusal<'invalid-credentials'>>
  /**
   * Creates a challenge for who is signed in: `verifySecondFactor` or a passkey answers it within five minutes, from the
   * same session or family.
   * @returns `challenge: null` when the account has none of the kinds.
   */
  startStepUp(input: StepUpInput): Promise<StepUpChallenge>
  /**
   * Draws the secret of an authenticator app. It counts for nothing before it is confirmed in the same session, and one that
   * is in force stays so until then.
   */
  startTotpEnrollment(input: FactorInput): Promise<EnrollmentResult>
  /**
   * Puts the authenticator app in force whose code is shown. With the first factor of an account its recovery codes are
   * returned, this once.
   * @returns `reason: 'invalid-credentials'` for a wrong code, and for an enrolment of another session.
   */
  confirmTotpEnrollment(input: CodeInput): Promise<FactorChangeResult>
  /** Removes the authenticator app, by one of its codes or by a recovery code, which is spent. */
  disableTotp(input: CodeInput): Promise<FactorChangeResult>
  /** Replaces the recovery codes; the old ones are void. */
  regenerateRecoveryCodes(input: RegenerateRecoveryCodesInput): Promise<FactorChangeResult>
  /** Returns what the browser needs to create a passkey for the account. */
  startPasskeyRegistration(input: FactorInput): Promise<PasskeyRequest | Refusal<'invalid-credentials'>>
  /**
   * Adds the passkey that the browser has created, in the session that has started it. With the first factor of an account
   * its recovery codes are returned, this once.
   * @returns `reason: 'invalid-credentials'` for what is no valid answer.
   * @throws AccountsError NAME_INVALID.
   */
  finishPasskeyRegistration(
    input: FinishPasskeyRegistrationInput,
  ): Promise<PasskeyAdded | Refusal<'invalid-credentials'>>
  /**
   * Returns what the browser needs to show a passkey: any of the service, or with a challenge one of its account.
   * @returns `reason: 'invalid-credentials'` for a challenge that has ended or takes no passkey.
   */
  startPasskeySignIn(input: StartPasskeySignInInput): Promise<PasskeyRequest | Refusal<'invalid-credentials'>>
  /**
   * Signs in with a passkey, or answers a challenge with it, as `verifySecondFactor` does. One that has verified its user is
   * two factors.
   * @throws AccountsError DELIVERY_NOT_ALLOWED.
   */
  finishPasskeySignIn(input: FinishPasskeySignInInput): Promise<SignInResult>
  /**
   * Removes a passkey of the account, but for the last one that its owner could sign in with: a password, and an identity at a
   * provider or a code by mail where they are offered, are other ways. `null`: it has none with this id.
   * @throws AccountsError LAST_SIGN_IN_METHOD.
   */
  removePasskey(input: RemovePasskeyInput): Promise<FactorChangeResult | null>
  /**
   * Renames a passkey of the account, and returns it. Nothing ends. `null`: it has none with this id.
   * @throws AccountsError NAME_INVALID.
   */
  renamePasskey(input: RenamePasskeyInput): Promise<EnrolledPasskey | null>
  /** Returns the factors of an account, one for each kind. */
  listFactors(subject: string): Promise<readonly ListedFactor[]>
  /** Returns the passkeys of an account. */
  listPasskeys(subject: string): Promise<readonly EnrolledPasskey[]>
  /**
   * Removes every second factor, every recovery code and every link to a provider of an account, for an administrator who knows the
   * person: the owner signs in with the password alone then, and gets one by a reset where there is none. Everything
   * that was open ends. `null`: the account does not exist.
   */
  resetFactors(input: AdministrationInput): Promise<Account | null>
}

export function bindFactorUseCases(context: AccountsContext): AccountFactors {
  return {
    verifySecondFactor: async (input) => verifySecondFactor(context, checkAttempt(input)),
    startStepUp: async (input) => startStepUp(context, checkOwner(input)),
    startTotpEnrollment: async (input) => startTotpEnrollment(context, checkOwner(checkAttempt(input))),
    confirmTotpEnrollment: async (input) => confirmTotpEnrollment(context, checkOwner(checkAttempt(input))),
    disableTotp: async (input) => disableTotp(context, checkOwner(checkAttempt(input))),
    regenerateRecoveryCodes: async (input) => regenerateRecoveryCodes(context, checkOwner(checkAttempt(input))),
    startPasskeyRegistration: async (input) => startPasskeyRegistration(context, checkOwner(checkAttempt(input))),
    finishPasskeyRegistration: async (input) => finishPasskeyRegistration(context, checkOwner(checkAttempt(input))),
    startPasskeySignIn: async (input) => startPasskeySignIn(context, checkAttempt(input)),
    finishPasskeySignIn: async (input) => finishPasskeySignIn(context, checkAttempt(input)),
    removePasskey: async (input) => removePasskey(context, checkOwner(checkAttempt(input))),
    renamePasskey: async (input) => renamePasskey(context, checkOwner(input)),
    listFactors: (subject) => listFactors(context, subject),
    listPasskeys: (subject) => listPasskeys(context, subject),
    resetFactors: async (input) => resetFactors(context, checkAttempt(input)),
  }
}
