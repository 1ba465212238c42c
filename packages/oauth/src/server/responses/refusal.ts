import type { HttpResponse } from '@latchkey/http'

/** The error codes of the specifications. */
export type ProtocolError =
  // RFC 6749 §4.1.2.1 and §5.2
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  // OpenID Connect Core §3.1.2.6
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'account_selection_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'invalid_request_uri'
  | 'registration_not_supported'
  // RFC 8707 §2, RFC 9449 §5 and §8, RFC 6750 §3.1
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'invalid_token'
  | 'insufficient_scope'
  // RFC 8628 §3.5
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'

/** The verdict on a request that breaks a rule. */
export interface Refusal {
  readonly ok: false
  readonly error: ProtocolError
  /** The broken rule, for the developer of a client. It contains no part of the request, and no secret. */
  readonly description: string
  /** Further headers of the response. */
  readonly headers?: HttpResponse['headers']
}

/** Returns a refusal. Double quotes become single quotes, because RFC 6749 §4.1.2.1 forbids them in a description. */
export function refuse(error: ProtocolError, description: string): Refusal {
  return { ok: false, error, description: description.replaceAll('"', "'") }
}
