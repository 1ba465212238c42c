import type { IdTokenRefusal } from '../tokens/id-token.ts'
import type { TokenSet } from '../tokens/token-set.ts'

/** A code by which a provider refuses an authorization request (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
export type AuthorizationErrorCode =
  | 'access_denied'
  | 'invalid_request'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'interaction_required'
  | 'login_required'
  | 'account_selection_required'
  | 'consent_required'

const authorizationErrors: Readonly<Record<AuthorizationErrorCode, true>> = {
  access_denied: true,
  invalid_request: true,
  unauthorized_client: true,
  unsupported_response_type: true,
  invalid_scope: true,
  server_error: true,
  temporarily_unavailable: true,
  interaction_required: true,
  login_required: true,
  account_selection_required: true,
  consent_required: true,
}

function isAuthorizationError(error: string): error is AuthorizationErrorCode {
  return Object.hasOwn(authorizationErrors, error)
}

/** Returns the code of an error answer: anything else that a provider may write is `refused`. */
export function readErrorCode(error: string): AuthorizationErrorCode | 'refused' {
  return isAuthorizationError(error) ? error : 'refused'
}

/** Why a callback signs no user in. */
export type CallbackRefusal =
  /** A parameter stands twice, there is neither a code nor an error, or both, or a token. */
  | 'malformed'
  /** No sign-in of this browser, with this provider and this client, waits for the answer. */
  | 'state'
  /** It came to another path than that of `redirectUri`. */
  | 'redirect-uri'
  /** The user took longer than ten minutes. */
  | 'expired'
  /** It was shown before. */
  | 'used'
  /** Another provider has answered, or it is not said which (RFC 9207). */
  | 'issuer'
  /** The provider has refused: by a code of the specifications, or by another one. */
  | AuthorizationErrorCode
  | 'refused'
  /** The provider refuses its own code: another client's, too old, or used. */
  | 'code'
  /** Something is wrong with the id token; `detail` says what. */
  | 'id-token'
  /** What the provider says of the user is of another one, or of none. */
  | 'user'

/** What comes of a callback. `cookie`: the `Set-Cookie` line that ends the sign-in in the browser, where it had one. */
export type CallbackVerdict =
  | (ProviderIdentity & {
      readonly ok: true
      readonly tokens: TokenSet
      /** The path that was given to `begin`. */
      readonly returnTo: string
      /** The text that was given to `begin`; `null`: none was. */
      readonly binding: string | null
      readonly cookie: string
    })
  | {
      readonly ok: false
      readonly reason: Exclude<CallbackRefusal, 'id-token'>
      readonly returnTo: string | null
      readonly cookie: string | null
    }
  | {
      readonly ok: false
      readonly reason: 'id-token'
      readonly detail: IdTokenRefusal
      readonly returnTo: string | null
      readonly cookie: string | null
    }

/** Who a user is at a provider. Link accounts by `issuer` and `subject` only: everything else can change, or be another's. */
export interface ProviderIdentity {
  /** The name of the provider. */
  readonly provider: string
  readonly issuer: string
  readonly subject: string
  /** All that the provider says of the user. */
  readonly claims: Readonly<Record<string, unknown>>
  /** An address, or `null`. */
  readonly email: string | null
  /** Whether the provider has verified that the address is the user's. */
  readonly emailVerified: boolean
  /** What was proven at the provider (RFC 8176). It counts where you trust the provider with that. */
  readonly amr: readonly string[]
  /** The session at the provider, which a logout token names. */
  readonly sid: string | null
  /** When the user signed in at the provider, epoch milliseconds; `null`: it does not say it. */
  readonly authenticatedAt: number | null
}
