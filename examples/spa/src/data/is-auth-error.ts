import type { AuthError } from '@latchkey/client'

/** Returns whether an error comes from the client or the service, and not from a mistake in this page. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && error.name === 'AuthError'
}
