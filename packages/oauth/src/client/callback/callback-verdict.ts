import type { CallbackVerdict } from '../contract/oauth-client.ts'

type Rejected = Extract<CallbackVerdict, { readonly ok: false }>
/** The reasons for a refused callback, except `id-token`. */
export type PlainRefusal = Exclude<Rejected['reason'], 'id-token'>
/** A user's identity at a provider. */
export type ProviderIdentity = Omit<
  Extract<CallbackVerdict, { readonly ok: true }>,
  'ok' | 'tokens' | 'returnTo' | 'binding' | 'cookie'
>

const authorizationErrors: readonly PlainRefusal[] = [
  'access_denied',
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'interaction_required',
  'login_required',
  'account_selection_required',
  'consent_required',
]

/** Returns the code of an error response: `refused` for a code of no specification. */
export function readErrorCode(error: string): PlainRefusal {
  return authorizationErrors.find((code) => code === error) ?? 'refused'
}
