import type { Kept } from '../platform/open-storage.ts'
import type { AuthState } from './auth-state.ts'
import { callAll, type Listeners } from './listeners.ts'
import type { Proof } from './proof.ts'
import type { Found } from './session-fields.ts'
import type { StepUpRequest } from './step-up-request.ts'

export type Identified = { readonly id: string }

/** The form in which a page gets and sends its credentials. */
export interface Delivery<User extends { readonly id: string }> {
  /** Whether requests send cookies. */
  readonly credentials: RequestCredentials
  /** Returns the headers with the credential of a request, which are also the payload of `connection_init`. */
  show(token: string, request: Request): Record<string, string> | Promise<Record<string, string>>
  /** Reads a nonce from a response. Returns whether the request must be sent again at once. */
  read?(response: Response): boolean
  /** Gets the next access token; `null` if the sign-in is over. Absent for a delivery without renewals. */
  renew?(page: Page<User>): Promise<Found<User> | null>
  /** Whether to send a renewal while the user is not known. */
  mayRenew?(): boolean
  /** Revokes the sign-in that had this token. Absent if a mutation does it. */
  end?(page: Page<User>, everywhere: boolean, token: string | null): Promise<unknown>
}

/** The options of a page. */
export interface PageOptions<User extends Identified> {
  /** The name of the channel and the lock, which the tabs of a client share, and other clients do not. */
  readonly name: string
  readonly url: string
  readonly userFields: string
  /** How long queries wait for network and service, in milliseconds; 15 000 by default. */
  readonly waitMs?: number
  readonly fetch?: typeof fetch
  readonly delivery: Delivery<User>
  readonly kept: Kept
  /** Sends the proof for a challenge, or leads the user to the page that takes the proof. */
  prove(page: Page<User>, proof: Proof, challenge: string, maxAgeSeconds: number): Promise<unknown>
}

/** A message between tabs: the user, and the access token that tabs share. */
export interface Message extends Partial<Found<never>> {
  /** Absent if the tab that renewed did not know the user yet. */
  readonly id?: string | null | undefined
  readonly reason?: 'signed-out'
  readonly at?: string | undefined
}

/** The state of a client on a page: the sign-in, its credential and the listeners. */
export interface Page<User extends Identified> extends PageOptions<User> {
  state: AuthState<User>
  /** The last known user; `null`: signed out; absent: not known yet. */
  user?: User | null | undefined
  /** Changes with the user: a response to an earlier turn is not for the current user. */
  turn: number
  /** The CSRF token of a session, or an access token. */
  token: string | null
  /** The expected expiry of the token. The service decides. */
  expiresAt?: number
  /** The number of sign-ins and sign-outs. A query from before the latest of them is sent again. */
  version: number
  checking?: Promise<void> | undefined
  isArriving?: boolean
  /** Whether the user has just signed out on this page. */
  isLeaving?: boolean
  /** Absent until the page has started. */
  channel?: BroadcastChannel
  readonly life: AbortController
  /** The open request for a proof, and its result. */
  stepUp?: StepUpRequest | null
  proof?: Promise<boolean>
  readonly changes: Listeners<[]>
  readonly users: Listeners<[User | null, User | null]>
  readonly stepUps: Listeners<[StepUpRequest | null]>
}

/** Changes the state, and calls the listeners. The same user stays the same object. */
export function setState<User extends Identified>(page: Page<User>, state: AuthState<User>): void {
  const { user: previous } = page
  let user = state.status === 'signed-out' ? null : previous
  if (state.status === 'signed-in') user = state.user
  if (JSON.stringify(user) === JSON.stringify(previous)) user = previous
  page.user = user
  // The times of a rendering server come from another clock.
  page.state =
    state.status === 'signed-in' && user
      ? { ...state, user, session: { ...state.session, receivedAt: performance.now() } }
      : state
  if (previous !== undefined && previous?.id !== user?.id) {
    page.turn++
    page.stepUp?.cancel()
    callAll(page.users, user ?? null, previous)
  }
  callAll(page.changes)
}

/** Signs out in the state, unless it is signed out. */
export function leave<User extends Identified>(page: Page<User>, reason: 'none' | 'signed-out' | 'ended'): void {
  if (page.state.status !== 'signed-out') setState(page, { status: 'signed-out', reason })
}
