import { postRequest } from '../answers/post-request.ts'
import { printDocument } from '../answers/print-document.ts'
import { readData } from '../answers/read-answer.ts'
import { isAuthError, networkError } from '../errors.ts'
import type { Presence } from '../presence/presence.ts'
import { type OwnRequest, readOwnRequest, toAbsolute } from '../requests/own-request.ts'
import { type Sender, send } from '../requests/send.ts'
import type { AuthState } from '../state/auth-state.ts'
import { createStepUps, type Prove } from '../step-up/step-ups.ts'
import type { AuthCore } from './auth-core.ts'

/** Sends an operation of the package itself. */
export type AskOwn = <Data>(query: string, variables?: unknown, isSignIn?: boolean) => Promise<Data>

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
  const ask = async <Data>(
    query: string,
    variables: unknown,
    options: { readonly signal?: AbortSignal | undefined; readonly isSignIn?: boolean },
  ): Promise<Data> => {
    const request = await readOwnRequest(url, postRequest(toAbsolute(url), query, variables, options.signal), undefined)
    return readData(await sendOrMiss(sender, request, options.isSignIn))
  }
  const client: AuthCore<User> = {
    fetch: async (input, init) => send(sender, await readOwnRequest(url, input, init)),
    request: (document, variables, { signal } = {}) => ask(printDocument(document), variables, { signal }),
    getState: store.get,
    subscribe: (listener) => {
      presence.start()
      return store.subscribe(listener)
    },
    onUserChange: (listener) => {
      presence.start()
      return store.onUserChange(listener)
    },
    onStepUp: stepUps.listen,
    refetch: () => refetch(presence),
    hydrate: (state) => hydrate(presence, state),
    connectionParams: () => presence.params(),
    signOut: ({ everywhere = false } = {}) => presence.signOut(everywhere),
    dispose: () => presence.dispose(),
  }
  return { client, askOwn: (query, variables, isSignIn = false) => ask(query, variables, { isSignIn }) }
}

async function sendOrMiss(sender: Sender, request: OwnRequest, isSignIn = false): Promise<Response> {
  try {
    return await send(sender, request, { isSignIn, rejects: true })
  } catch (error) {
    if (isAuthError(error) || request.request.signal.aborted) throw error
    throw networkError(error)
  }
}

async function refetch<User extends { readonly id: string }>(presence: Presence<User>): Promise<AuthState<User>> {
  presence.start()
  await presence.check().catch(ignore)
  return presence.store.get()
}

/** The page may show what a server has found, until the service says otherwise. */
function hydrate<User extends { readonly id: string }>({ store }: Presence<User>, state: AuthState<User>): void {
  if (store.get().status !== 'loading') return
  const isIn = state.status === 'signed-in'
  store.set(isIn ? { ...state, session: { ...state.session, receivedAt: performance.now() } } : state)
}

function ignore(): void {}
