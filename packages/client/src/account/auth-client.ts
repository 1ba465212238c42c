import type { AuthCore } from '../core/auth-core.ts'
import type { AuthState, AuthUser } from '../state/auth-state.ts'
import type { Proof } from '../state/proof.ts'

/** Options of `createAuthClient`. */
export interface AuthClientOptions {
  /**
   * The URL of the GraphQL endpoint.
   * @default '/graphql'
   */
  readonly url?: string
  /**
   * `session`: a cookie, for pages of the origin of the service and of its `allowedOrigins`. `token`: an access token in
   * memory and a refresh token in a cookie.
   * @default 'session'
   */
  readonly delivery?: 'session' | 'token'
  /**
   * Fields of `Account` that `user` has.
   * @default 'id name email role'
   */
  readonly userFields?: string
  /**
   * How long queries wait for network and service, in milliseconds; 0: not at all.
   * @default 15000
   */
  readonly waitMs?: number
  /** Sends requests in place of the `fetch` of the platform. */
  readonly fetch?: typeof globalThis.fetch
}

/** A client of the service whose sign-in is a page of yours. */
export interface AuthClient<User extends { readonly id: string } = AuthUser> extends AuthCore<User> {
  signUp(input: { readonly email: string; readonly password: string; readonly name: string }): Promise<void>
  verifyEmail(input: { readonly token: string; readonly password?: string }): Promise<void>
  /** Signs in; the state is `second-factor` if the account has a second factor. */
  signIn(input: { readonly email: string; readonly password: string }): Promise<AuthState<User>>
  /** Signs in with a passkey; `conditional` offers it in the field with `autocomplete="username webauthn"`. */
  signInWithPasskey(options?: {
    readonly conditional?: boolean
    readonly signal?: AbortSignal
  }): Promise<AuthState<User>>
  /** Completes a sign-in whose state is `second-factor`. */
  verifySecondFactor(proof: Proof): Promise<AuthState<User>>
  requestPasswordReset(input: { readonly email: string }): Promise<void>
  /** Sets a new password; the state is `second-factor` if one must be shown first, and showing it sets the password. */
  resetPassword(input: { readonly token: string; readonly newPassword: string }): Promise<void>
  changePassword(input: { readonly currentPassword: string; readonly newPassword: string }): Promise<void>
  /** Adds a passkey; recovery codes come with the first factor of an account, once. */
  addPasskey(input: {
    readonly name: string
  }): Promise<{ readonly id: string; readonly recoveryCodes: readonly string[] | null }>
  startTotpEnrollment(): Promise<{ readonly secret: string; readonly otpauthUri: string; readonly qrCodeSvg: string }>
  confirmTotpEnrollment(input: { readonly code: string }): Promise<{ readonly codes: readonly string[] }>
}
