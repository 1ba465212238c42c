import type { AuthState } from '../state/auth-state.ts'
import type { StepUpRequest } from '../step-up/step-ups.ts'

/** What a page has of its service, however it signs in. */
export interface AuthCore<User extends { readonly id: string }> {
  /** The `fetch` for urql, Apollo, Relay and every other client: it shows who is signed in, and repeats what can be. */
  readonly fetch: typeof globalThis.fetch
  /** Sends an operation; rejects with `AuthError`. */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: string | { readonly kind?: string; readonly __apiType?: (variables: Variables) => Data },
    variables?: Variables,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Data>
  getState(): AuthState<User>
  /** Calls the listener when the state changes; returns what ends that. */
  subscribe(listener: () => void): () => void
  /** Calls the listener when somebody else is there, before any answer for them: empty caches here. */
  onUserChange(listener: (user: User | null, previous: User | null) => void): () => void
  /** Calls the newest listener with what to ask the user for, and with `null` when that is over. */
  onStepUp(listener: (request: StepUpRequest | null) => void): () => void
  /** Asks the service who is signed in. */
  refetch(): Promise<AuthState<User>>
  /** Takes the state that a server has found for this page. */
  hydrate(state: AuthState<User>): void
  /** Returns what `connection_init` of graphql-ws carries. */
  connectionParams(): Promise<Record<string, string>>
  /** Signs out here at once, and at the service as soon as it can be reached. */
  signOut(options?: { readonly everywhere?: boolean }): Promise<void>
  /** Ends listeners and timers. */
  dispose(): void
}
