import type { PresentedAttempt } from '../../attempt.ts'
import type { Refusal } from '../../errors.ts'
import type { LinkedProvider } from '../../providers/linked-provider.ts'
import type { ProviderIdentity } from '../../providers/provider-identity.ts'
import type { SessionCredentials } from '../../sign-in/issue-credentials.ts'
import type { SignedInIdentity } from '../../sign-in/signed-in-identity.ts'
import type { SignInInput } from '../sign-in.ts'

/** The verdict on a callback, and how the sign-in is delivered. */
export interface SignInWithProviderInput
  extends ProviderIdentity,
    Omit<SignInInput, 'email' | 'password' | 'trustedDeviceToken'> {}

/** The verdict on a callback that was begun in the session, with its `binding`, and who is signed in. */
export interface ProviderInput extends ProviderIdentity {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** The same, to prove again who is signed in. */
export interface ConfirmProviderInput extends ProviderInput {
  /**
   * `false`: a family whose refresh token travels in the body is not renewed, because a script of a page would get it.
   * @default true
   */
  readonly allowsNative?: boolean
}

/** The link to remove. */
export interface UnlinkProviderInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  /** As `linkedProviders` names it. */
  readonly id: string
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** The link of an account that was moved here from elsewhere. */
export interface ImportProviderLinkInput {
  readonly accountId: string
  /** The provider's `iss`, byte for byte. */
  readonly issuer: string
  /** The provider's `sub`: whoever signs in there as this user signs in to the account. */
  readonly subject: string
  /**
   * Since when they are linked, epoch milliseconds: an undone change of the e-mail address removes later links.
   * @default now
   */
  readonly createdAt?: number
  /** The account of the administrator, for the audit. Omitted: not known, or a command. */
  readonly actorId?: string | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** A link was added or removed: everything else that was open has ended. */
export interface ProviderChanged {
  readonly ok: true
  readonly provider: LinkedProvider
  /** A new session for the cookie. `null`: there is nothing to deliver, as after `changePassword`. */
  readonly credentials: SessionCredentials | null
  /** The one that the device had is void. */
  readonly deviceToken: string | null
}

/**
 * The verdict on a change of links. Refused: the callback is none of this session, nothing fresh was shown to add a link, or the account
 * has changed since the request began.
 */
export type ProviderChangeResult = ProviderChanged | Refusal<'invalid-credentials'>

/** What a provider says has ended: a verdict of `verifyLogoutToken` of `@latchkey/oauth/client` that is `ok`. */
export interface EndProviderSessionsInput {
  readonly issuer: string
  /** `null`: `sid` says it alone. */
  readonly subject: string | null
  /** `null`: all sessions of the user. */
  readonly sid: string | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}
