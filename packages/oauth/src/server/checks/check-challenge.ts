import { isPkceChallenge } from '../../pkce.ts'
import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

/** Every client must send a challenge (RFC 9700 §2.1.1). An omitted method would be `plain` (RFC 7636 §4.3). */
export const checkChallenge: Check<'challenge'> = ({ parameters }) => {
  const challenge = parameters.get('code_challenge')
  if (challenge === null) return refuse('invalid_request', '"code_challenge" is required.')
  if (parameters.get('code_challenge_method') !== 'S256') {
    return refuse('invalid_request', '"code_challenge_method" must be S256.')
  }
  return isPkceChallenge(challenge)
    ? { challenge }
    : refuse('invalid_request', '"code_challenge" must be the SHA-256 hash of a code verifier in base64url.')
}
