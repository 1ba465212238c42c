import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import { isPasswordError } from '@latchkey/password'
import { isRbacError, type RbacError } from '@latchkey/rbac'
import { explainRefusal } from './explain-refusal.ts'

/**
 * Returns the GraphQL error for an error of `@latchkey/accounts`; `null` for other errors, whose details stay hidden.
 */
export function translateError(error: unknown): AccessError | null {
  if (isAccountsError(error)) {
    if (error.code === 'ATTEMPTS_RATE_LIMITED') return translateLimit(error)
    if (error.code === 'NOT_WHILE_IMPERSONATING')
      return new AccessError('FORBIDDEN', { message: explainRefusal(error), reason: 'impersonated', cause: error })
    const field = error.field === null ? {} : { field: `input.${error.field}` }
    return new AccessError('BAD_USER_INPUT', { message: explainRefusal(error), ...field, cause: error })
  }
  // Too many passwords are waiting, or the service is shutting down: no password was verified.
  if (isPasswordError(error) && /^PASSWORD_HASHER_(?:UNAVAILABLE|CLOSED)$/.test(error.code)) {
    return new AccessError('SERVICE_UNAVAILABLE', { retryAfterSeconds: error.retryAfterSeconds ?? 1, cause: error })
  }
  return isRbacError(error) ? translateRoles(error) : null
}

/** Does not reveal the account: unknown accounts have the same limits. */
function translateLimit(cause: AccountsError): AccessError {
  const { policy, retryAfterSeconds } = cause
  return new AccessError('RATE_LIMITED', {
    retryAfterSeconds: retryAfterSeconds ?? 60,
    ...(policy && { policy }),
    cause,
  })
}

/** The message names permissions and roles, which is for the event only. */
function translateRoles(cause: RbacError): AccessError {
  return cause.code === 'RBAC_ROLES_UNAVAILABLE'
    ? new AccessError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause })
    : new AccessError('BAD_USER_INPUT', { message: 'The roles are not valid.', cause })
}
