import type { AuthError } from '@latchkey/client'

/** Whether a failure is a refusal or an outage, and not a mistake of this page or a choice of the user. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && error.name === 'AuthError'
}
