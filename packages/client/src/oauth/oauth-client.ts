import type { AuthCore } from '../core/auth-core.ts'
import type { AuthUser } from '../state/auth-state.ts'

/** A client of the service that signs in on the pages of the service, by OAuth. */
export interface OAuthClient<User extends { readonly id: string } = Pick<AuthUser, 'id' | 'name'>>
  extends AuthCore<User> {
  /** Leaves for the sign-in of the service; `returnTo` is a path of this origin. */
  signInWithRedirect(options?: {
    readonly returnTo?: string
    readonly prompt?: 'login' | 'create' | 'none'
    readonly maxAge?: number
  }): Promise<never>
  /** Takes the response of the service from the address of the page; `null` if the page has no response. May be called again. */
  handleRedirect(): Promise<{ readonly returnTo: string } | null>
}
