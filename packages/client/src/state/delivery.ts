import type { Page } from './page.ts'
import type { Session } from './session-fields.ts'

/** A sign-in, as returned by a mutation, a query or a renewal. */
export interface Found<User> {
  /** The CSRF token of a session, or an access token. */
  readonly token: string | null
  /** Lifetime of an access token in seconds. */
  readonly expiresIn?: number | null
  /** Absent if the source of the token does not return the session. */
  readonly session?: Session<User> | null
}

/** In which form a page is given its credentials, and how it shows them. */
export interface Delivery<User extends { readonly id: string }> {
  /** Whether cookies belong to it. */
  readonly credentials: RequestCredentials
  /** Returns the headers that show the credential with a request; also the payload of `connection_init`, as with a GET. */
  show(token: string, request: Request): Record<string, string> | Promise<Record<string, string>>
  /** Reads what an answer says of the credential; whether the request must be sent again at once. */
  read?(response: Response): boolean
  /** Gets the next access token; `null` if the sign-in is over. Absent for a delivery without renewals. */
  renew?(page: Page<User>): Promise<Found<User> | null>
  /** Whether to send a renewal while the user is not known. */
  mayRenew?(): boolean
  /** Revokes the sign-in that had this token. Absent if a mutation does it. */
  end?(page: Page<User>, everywhere: boolean, token: string | null): Promise<unknown>
}
