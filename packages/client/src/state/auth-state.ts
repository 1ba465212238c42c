/** A signed-in user, as `userFields` selects it by default. */
export interface AuthUser {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: string
}

/** The sign-in of the user, as the service described it at `receivedAt`. */
export interface SessionInfo {
  /** Seconds from `receivedAt` until the sign-in expires at the latest. */
  readonly expiresIn: number
  /** Seconds from `receivedAt` until the sign-in expires without use. */
  readonly idleExpiresIn: number
  /** Time of the last proof, in ISO 8601 by the clock of the service. */
  readonly authenticatedAt: string
  /** Factors that were proven. */
  readonly factors: readonly string[]
  readonly permissions: readonly string[]
  /** Whether the account must add a second factor before anything else. */
  readonly mustEnroll: boolean
  /** ID of the administrator who acts as the user. */
  readonly impersonatedBy: string | null
  /** `performance.now()` of the answer. */
  readonly receivedAt: number
}

/** A kind of proof that an account has. */
export type Factor = 'password' | 'totp' | 'passkey' | 'recovery-code' | 'provider'

/** The state of the sign-in. `loading` until the service has answered; `isOffline` while it cannot be reached. */
export type AuthState<User extends { readonly id: string } = AuthUser> =
  | { readonly status: 'loading'; readonly isOffline: boolean }
  | { readonly status: 'signed-out'; readonly reason: 'none' | 'signed-out' | 'ended' }
  | { readonly status: 'second-factor'; readonly challenge: string; readonly factors: readonly Factor[] }
  | { readonly status: 'signed-in'; readonly user: User; readonly session: SessionInfo }
