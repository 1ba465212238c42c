import { refuse } from '../responses/refusal.ts'
import { type Check, nothing } from './check.ts'

/** Parameters with a meaning here. Only `resource` may be repeated (RFC 6749 §3.1, RFC 8707 §2). */
const known: readonly string[] = [
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'prompt', 'max_age', 'acr_values', 'login_hint', 'id_token_hint'],
  ...['request', 'request_uri', 'registration', 'dpop_jkt', 'display', 'ui_locales', 'claims'],
]

export const checkRepetition: Check = ({ parameters }) =>
  known.some((name) => parameters.isRepeated(name))
    ? refuse('invalid_request', 'A parameter was sent more than once.')
    : nothing
