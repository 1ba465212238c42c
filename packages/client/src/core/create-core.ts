import { readData } from '../answers/read-answer.ts'
import { rejectMissed } from '../errors.ts'
import { check, ignore, ready, signOut, start } from '../presence/presence.ts'
import { postOwn } from '../requests/ask.ts'
import { readOwnRequest } from '../requests/own-request.ts'
import { addTo, type Listeners } from '../state/listeners.ts'
import { type Identified, type Page, type PageOptions, setState } from '../state/page.ts'
import { listenToStepUps } from '../step-up/step-ups.ts'
import type { AuthCore } from './auth-core.ts'
import { send } from './send.ts'

/** A client without sign-in methods, and its state. */
export interface Core<User extends Identified> {
  readonly client: AuthCore<User>
  readonly page: Page<User>
}

/** Creates the common part of all clients. */
export function createCore<User extends Identified>(options: PageOptions<User>): Core<User> {
  const page: Page<User> = {
    ...options,
    ...{ state: { status: 'loading', isOffline: false }, turn: 0, token: null, version: 0 },
    ...{ life: new AbortController(), changes: new Set(), users: new Set(), stepUps: new Set() },
  }
  const { url } = page
  const listenTo =
    <Values extends readonly unknown[]>(all: Listeners<Values>) =>
    (listener: (...values: Values) => void): (() => void) => {
      start(page)
      return addTo(all, listener)
    }
  const client: AuthCore<User> = {
    fetch: async (input, init) => send(page, await readOwnRequest(url, input, init)),
    request: async (document, variables, options) => askOwn(page, await textOf(document), variables, options?.signal),
    getState: () => page.state,
    subscribe: listenTo(page.changes),
    onUserChange: listenTo(page.users),
    onStepUp: (listener) => {
      start(page)
      return listenToStepUps(page, listener)
    },
    refetch: async () => {
      start(page)
      await check(page).catch(ignore)
      return page.state
    },
    hydrate: (state) => {
      if (page.state.status === 'loading') setState(page, state)
    },
    connectionParams: async () => {
      await ready(page, false)
      return page.token ? page.delivery.show(page.token, new Request(url)) : {}
    },
    signOut: ({ everywhere = false } = {}) => signOut(page, everywhere),
    dispose: () => {
      page.life.abort()
      page.channel?.close?.()
    },
  }
  return { client, page }
}

/** Returns the text of a document. Only a page with nodes loads the printer of nodes. */
async function textOf(document: string | { readonly kind?: string }): Promise<string> {
  return (document as { readonly kind?: string }).kind
    ? (await import('../answers/print-document.ts').catch(rejectMissed)).printDocument(document)
    : `${document}`
}

/** Sends an operation. */
export async function askOwn<Data, User extends Identified = never>(
  page: Page<User>,
  query: string,
  variables?: unknown,
  signal?: AbortSignal,
  isSignIn?: boolean,
): Promise<Data> {
  const own = await postOwn(page, query, variables, signal)
  const answer = send(page, own, isSignIn, true)
  return readData(await answer.catch((error) => rejectMissed(error, own.request.signal)))
}
