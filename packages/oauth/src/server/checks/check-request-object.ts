import { refuse } from '../responses/refusal.ts'
import { type Check, nothing } from './check.ts'

/** Signed request objects, and registrations within a request, are not supported (OpenID Connect Core §6, §7.2.1). */
export const checkRequestObject: Check = ({ parameters }) => {
  if (parameters.names.includes('request')) {
    return refuse('request_not_supported', 'Request objects are not supported. Push the request instead.')
  }
  return parameters.names.includes('registration')
    ? refuse('registration_not_supported', '"registration" is not supported.')
    : nothing
}
