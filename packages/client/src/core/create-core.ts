import { postRequest } from '../answers/post-request.ts'
import { printDocument } from '../answers/print-document.ts'
import { readData } from '../answers/read-answer.ts'
import { type AuthError, clientError } from '../errors.ts'
import type { Presence } from '../presence/create-presence.ts'
import { readOwnRequest, toAbsolute } from '../requests/own-request.ts'
import { type Sender, send } from '../requests/send.ts'
import type { AuthState } from '../state/auth-state.ts'
import { createStepUps, type Prove } from '../step-up/step-ups.ts'
import type { AuthCore } from './auth-core.ts'

/** Sends an operation. */
export type AskOwn = <Data>(
  query: string,
  variables?: unknown,
  options?: { readonly isSignIn?: boolean; readonly signal?: AbortSignal },
) => Promise<Data>

/** A client without ways to sign in. */
export interface Core<User extends { readonly id: string }> {
  readonly client: AuthCore<User>
  readonly askOwn: AskOwn
}

/** Creates what all clients have, on a presence. */
export function createCore<User extends { readonly id: string }>(
  presence: Presence<User>,
  { url, waitMs, prove }: { readonly url: string; readonly waitMs: number; readonly prove: Prove },
): Core<User> {
  const { store } = presence
  const stepUps = createStepUps(prove)
  const sender: Sender = { presence, stepUps, waitMs }
  store.onUserChange(stepUps.cancel)
  const askOwn: AskOwn = async (query, variables, { isSignIn, signal } = {}) => {
    const request = postRequest(toAbsolute(url), query, variables, signal)
    const own = await readOwnRequest(url, request)
    return readData(await send(sender, own, isSignIn, true).catch((error) => rejectMissed(error, request)))
  }
  const started =
    <Listener>(add: (listener: Listener) => () => void) =>
    (listener: Listener): (() => void) => {
      presence.start()
      return add(listener)
    }
  const client: AuthCore<User> = {
    fetch: async (input, init) => send(sender, await readOwnRequest(url, input, init)),
    request: (document, variables, options) => askOwn(printDocument(document), variables, options),
    getState: store.get,
    subscribe: started(store.subscribe),
    onUserChange: started(store.onUserChange),
    onStepUp: started(stepUps.listen),
    refetch: async () => {
      presence.start()
      await presence.check().catch(() => {})
      return store.get()
    },
    hydrate: (state) => {
      if (store.is('loading')) store.set(receivedNow(state))
    },
    connectionParams: () => presence.params(),
    signOut: ({ everywhere = false } = {}) => presence.signOut(everywhere),
    dispose: () => presence.dispose(),
  }
  return { client, askOwn }
}

/** An error that the service has not sent is `NETWORK`, unless the caller has aborted the request. */
function rejectMissed(error: AuthError, { signal }: Request): never {
  throw error.name === 'AuthError' || signal.aborted ? error : clientError('NETWORK', undefined, error)
}

/** The times of a server are of another clock. */
function receivedNow<User extends { readonly id: string }>(state: AuthState<User>): AuthState<User> {
  if (state.status !== 'signed-in') return state
  return { ...state, session: { ...state.session, receivedAt: performance.now() } }
}
