import type { AuthCore } from '../core/auth-core.ts'
import type { AuthUser } from '../state/auth-state.ts'

/** A client of the service that signs in on the pages of the service, by OAuth. */
export interface OAuthClient<User extends { readonly id: string } = Pick<AuthUser, 'id' | 'name'>>
  extends AuthCore<User> {
  /** Redirects to the sign-in page of the service. `returnTo`: a path of this origin. */
  signInWithRedirect(options?: {
    readonly returnTo?: string
    readonly prompt?: 'login' | 'create' | 'none'
    readonly maxAge?: number
  }): Promise<never>
  /** Reads the response of the service from the address of the page; `null` without a response. May be called again. */
  handleRedirect(): Promise<{ readonly returnTo: string } | null>
}
