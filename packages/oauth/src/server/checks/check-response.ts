import { refuse } from '../responses/refusal.ts'
import { type Check, nothing } from './check.ts'

/** Only codes in the query are supported: tokens in addresses are refused (RFC 9700 §2.1.2). */
export const checkResponse: Check = ({ parameters }) => {
  const mode = parameters.get('response_mode')
  if (mode !== null && mode !== 'query') return refuse('invalid_request', '"response_mode" must be query or omitted.')
  const type = parameters.get('response_type')
  if (type === null) return refuse('invalid_request', '"response_type" is required.')
  return type === 'code' ? nothing : refuse('unsupported_response_type', '"response_type" must be code.')
}
