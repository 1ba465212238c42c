import { refuse } from '../responses/refusal.ts'
import { type Check, nothing } from './check.ts'

/** What is said in a signed object, or registers a client on the way, is not read here (OpenID Connect Core §6, §7.2.1). */
export const checkRequestObject: Check = ({ parameters }) => {
  if (parameters.names.includes('request')) {
    return refuse('request_not_supported', 'Request objects are not supported. Push the request instead.')
  }
  return parameters.names.includes('registration')
    ? refuse('registration_not_supported', '"registration" is not supported.')
    : nothing
}
