import type { CallbackVerdict } from '../contract/oauth-client.ts'

type Rejected = Extract<CallbackVerdict, { readonly ok: false }>
/** Why a callback signs no user in, but for the id token. */
export type PlainRefusal = Exclude<Rejected['reason'], 'id-token'>
/** Who a user is at a provider. */
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

/** Returns the code of an error answer: anything else that a provider may write is `refused`. */
export function readErrorCode(error: string): PlainRefusal {
  return authorizationErrors.find((code) => code === error) ?? 'refused'
}
