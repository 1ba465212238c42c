import type { Device, Session } from '@latchkey/sessions'
import type { EnrolledPasskey } from '@latchkey/store'
import type { PresentedAttempt } from '../../attempt.ts'
import type { Delivery } from '../../delivery.ts'
import type { Refusal } from '../../errors.ts'
import type { TotpSecret } from '../../factors/second-factors.ts'
import type { SessionCredentials } from '../../sign-in/issue-credentials.ts'
import type { SignedInIdentity } from '../../sign-in/signed-in-identity.ts'

/** Who is signed in, and where the request comes from. */
export interface FactorInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** What finishes a sign-in or a step-up is delivered as a sign-in is. */
export interface SecondStepInput {
  /** How a sign-in travels; a step-up is delivered in the form in which the credential came. */
  readonly delivery: Delivery
  readonly device?: Device
  /**
   * For `session`: whether the cookie remains when the browser is closed.
   * @default true
   */
  readonly persistent?: boolean
  /** The session that the browser had until now: a sign-in ends it, whatever the delivery. */
  readonly replaces?: Session | null
  /** The identity of the request: a challenge for a step-up is answered by the one that it was made for only. */
  readonly identity?: SignedInIdentity | null
  /**
   * `false`: a family whose refresh token travels in the body is not renewed, because a script of a page would get it.
   * @default true
   */
  readonly allowsNative?: boolean
  /**
   * Lets a sign-in by password from this device do without the second factor, for the days of `rememberDevices`. It counts
   * for what finishes a sign-in, and not for a recovery code.
   * @default false
   */
  readonly trustDevice?: boolean
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** A code of an authenticator app, or a recovery code. */
export interface VerifySecondFactorInput extends SecondStepInput {
  readonly challenge: string
  readonly code: string
}

/** What may be shown again. */
export interface StepUpInput {
  readonly identity: SignedInIdentity
  /** The kinds that may answer: of these, the challenge names those that the account has. */
  readonly kinds: readonly string[]
}

/** The challenge, and the kinds that can answer it. */
export interface StepUpChallenge {
  /** `null`: the account has none of these kinds. */
  readonly challenge: string | null
  readonly factors: readonly string[]
}

/** What the authenticator app needs, readable this once. Refused: the account has changed since the request began. */
export type EnrollmentResult = ({ readonly ok: true } & TotpSecret) | Refusal<'invalid-credentials'>

/** The code that proves a factor. */
export interface CodeInput extends FactorInput {
  readonly code: string
}

/** An account without an authenticator app has no code to show: it needs a passkey that was shown 300 seconds ago at most. */
export interface RegenerateRecoveryCodesInput extends FactorInput {
  readonly code?: string | null
}

/** What the authenticator has answered, as JSON text or as the object that it stands for. */
export interface FinishPasskeyRegistrationInput extends FactorInput {
  /** What the owner calls it: 1 to 64 characters. */
  readonly name: string
  readonly response: unknown
}

/** A sign-in without a name, or with a challenge the answer to that. */
export interface StartPasskeySignInInput {
  readonly challenge?: string | null
  /**
   * Without a challenge: the secret of the browser that asks. Only who shows the same one finishes the sign-in.
   * @default null
   */
  readonly binding?: string | null
  readonly identity?: SignedInIdentity | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** What the browser is asked to do: `PublicKeyCredentialRequestOptionsJSON`. */
export interface PasskeyRequest {
  readonly ok: true
  readonly options: object
}

/** What the authenticator has answered, as JSON text or as the object that it stands for. */
export interface FinishPasskeySignInInput extends SecondStepInput {
  readonly response: unknown
  readonly challenge?: string | null
  /**
   * Without a challenge: the same as at the start.
   * @default null
   */
  readonly binding?: string | null
}

/** The passkey of the account to remove. */
export interface RemovePasskeyInput extends FactorInput {
  readonly id: string
}

/** The passkey of the account to rename. */
export interface RenamePasskeyInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  readonly id: string
  /** What the owner calls it: 1 to 64 characters. */
  readonly name: string
}

/** A factor was added, removed or replaced: everything else that was open has ended. */
export interface FactorChanged {
  readonly ok: true
  /** New recovery codes, readable this once; `null`: there are none, or those of before remain. */
  readonly codes: readonly string[] | null
  /**
   * A new session for the cookie. `null`: there is nothing to deliver, because the change came with a bearer token, whose
   * family continues, or because the store failed after the change was made: then the user signs in again.
   */
  readonly credentials: SessionCredentials | null
  /** By it the device is recognized. */
  readonly deviceToken: string | null
}

/** A passkey was added. */
export interface PasskeyAdded extends FactorChanged {
  readonly passkey: EnrolledPasskey
}

/** The verdict on what was shown to change a factor. Refused: nothing has changed. */
export type FactorChangeResult = FactorChanged | Refusal<'invalid-credentials'>

/** A factor that the account has. Instants are epoch milliseconds. */
export interface ListedFactor {
  readonly kind: string
  readonly category: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** Too many wrong codes were shown in a row: others still work. */
  readonly isDisabled: boolean
}
