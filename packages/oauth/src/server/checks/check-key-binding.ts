import { decodeBase64url } from '@latchkey/bytes'
import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

/** RFC 9449 §10: a SHA-256 in base64url. */
export const checkKeyBinding: Check<'keyBinding'> = ({ parameters }) => {
  const keyBinding = parameters.get('dpop_jkt')
  return keyBinding === null || decodeBase64url(keyBinding)?.length === 32
    ? { keyBinding }
    : refuse('invalid_request', '"dpop_jkt" must be the thumbprint of a key.')
}
