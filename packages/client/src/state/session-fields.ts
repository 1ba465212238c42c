import type { AuthState, SessionInfo } from './auth-state.ts'

/** `CurrentSession` of the service. */
export interface Session<User> extends Omit<SessionInfo, 'receivedAt'> {
  readonly account: User
  readonly csrfToken: string | null
}

/** A sign-in, as returned by a mutation, a query or a renewal. */
export interface Found<User> {
  /** The CSRF token of a session, or an access token. */
  readonly token: string | null
  /** Lifetime of an access token in seconds. */
  readonly expiresIn?: number | null | undefined
  /** Absent if the source of the token does not return the session. */
  readonly session?: Session<User> | null
}

/** Returns the selection of `session`, with these fields of the account. */
export function sessionFields(userFields: string): string {
  return `session{account{${userFields}}csrfToken expiresIn idleExpiresIn authenticatedAt factors permissions mustEnroll impersonatedBy}`
}

/** Returns the state `signed-in` for a session. */
export function toSignedIn<User extends { readonly id: string }>(
  session: Session<User>,
): Extract<AuthState<User>, { status: 'signed-in' }> {
  const { account, csrfToken: _secret, ...info } = session
  return { status: 'signed-in', user: account, session: { ...info, receivedAt: performance.now() } }
}
