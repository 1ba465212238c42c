import type { AuthState } from '../state/auth-state.ts'
import type { StepUpRequest } from '../state/step-up-request.ts'

/** The methods of every client, for each way to sign in. */
export interface AuthCore<User extends { readonly id: string }> {
  /** The `fetch` for urql, Apollo, Relay and every other client: it adds the credential, renews it, and repeats requests if that is safe. */
  readonly fetch: typeof globalThis.fetch
  /**
   * Sends an operation; rejects with `AuthError`. A document is text, `TypedDocumentString` or `TypedDocumentNode`; the first
   * node loads the module that prints nodes.
   */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: string | { readonly kind?: string; readonly __apiType?: (variables: Variables) => Data },
    variables?: Variables,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Data>
  getState(): AuthState<User>
  /** Calls the listener when the state changes. Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void
  /** Calls the listener when the user changes, before any response for the new user: empty caches in it. */
  onUserChange(listener: (user: User | null, previous: User | null) => void): () => void
  /** Calls the newest listener with the proof that the service requires, and with `null` when the request is over. */
  onStepUp(listener: (request: StepUpRequest | null) => void): () => void
  /** Queries the current session. */
  refetch(): Promise<AuthState<User>>
  /** Starts with a state that a server has read for this page. */
  hydrate(state: AuthState<User>): void
  /** Returns the payload of `connection_init` of graphql-ws. */
  connectionParams(): Promise<Record<string, string>>
  /** Signs out here at once, and at the service as soon as it can be reached. */
  signOut(options?: { readonly everywhere?: boolean }): Promise<void>
  /** Removes listeners and stops timers. */
  dispose(): void
}
