import { isHidden } from '../platform/is-hidden.ts'
import { type Channel, openChannel } from '../platform/open-channel.ts'
import type { Kept } from '../platform/open-storage.ts'
import { backoff, pause } from '../platform/time.ts'
import { toAbsolute } from '../requests/own-request.ts'
import { createStore, type Store } from '../state/create-store.ts'
import { sessionFields, toSignedIn } from '../state/session-fields.ts'
import { createFinder, type Find } from './create-finder.ts'
import { createWire, type Wire } from './create-wire.ts'
import type { Delivery, Found } from './delivery.ts'
import { readOut } from './sign-out.ts'

/** Options of a presence. */
export interface PresenceOptions<User> {
  /** Of its channel and its lock: tabs of one client share them, other clients of the service have their own. */
  readonly name: string
  readonly url: string
  readonly userFields: string
  readonly fetch: typeof fetch | undefined
  readonly delivery: Delivery<User>
  readonly kept: Kept
}

/** The sign-in of a page, kept up to date by arrival, renewals and messages of other tabs. */
export interface Presence<User extends { readonly id: string }> extends Pick<Wire, 'transmit'> {
  readonly store: Store<User>
  token(): string | null
  /** Starts at the first call, once. */
  start(): void
  dispose(): void
  /** Waits until it is known who is there, and until requests can show it. */
  ready(isQuery: boolean): Promise<void>
  /** Finds something newer than this token, for the same request again. */
  renewFrom(token: string | null): Promise<boolean>
  /** Asks the service who is there, once for all who ask meanwhile. */
  check(stale?: string | null): Promise<void>
  /** Takes what a sign-in or a proof has brought. */
  adopt(found: Found<User>): void
  /** Reads what an answer says of the credential; whether the request must be sent again at once. */
  read(response: Response, isSignIn: boolean): Promise<boolean>
  /** Signs out here and now, and tells the service when it can. */
  signOut(everywhere: boolean): Promise<void>
  /** Returns what `connection_init` carries. */
  params(): Promise<Record<string, string>>
}

/** A message between tabs: the user, and the access token that tabs share. */
interface Message extends Partial<Found<never>> {
  /** Absent if the tab that renewed did not know the user yet. */
  readonly id?: string | null | undefined
  readonly reason?: 'signed-out'
  readonly at?: string | undefined
}

/** The parts of a presence that its functions share. */
interface Core<User extends { readonly id: string }> {
  readonly store: Store<User>
  readonly kept: Kept
  readonly isRenewed: boolean
  readonly life: AbortController
  channel?: Channel<Message>
  find: Find<User>
  token: string | null
  /** Until when the token counts: a hint, the service decides. */
  expiresAt: number
  /** Counts sign-ins and sign-outs: a query that was sent before the last one is sent again. */
  version: number
  checking?: Promise<void> | undefined
  isArriving?: boolean
  isLeaving?: boolean
}

/** Creates the presence of a page, which begins with its first call. */
export function createPresence<User extends { readonly id: string }>(options: PresenceOptions<User>): Presence<User> {
  const { name, url, userFields, fetch, delivery, kept } = options
  const { transmit, ask } = createWire(url, delivery, fetch)
  const store = createStore<User>()
  const core: Core<User> = {
    ...{ store, kept, token: null, expiresAt: 0, version: 0, isRenewed: !!delivery.renew, life: new AbortController() },
    find: createFinder<User>({
      ...{ name, query: `{${sessionFields(userFields)}}`, ask, delivery, kept },
      token: () => core.token,
      isLeaving: () => !!core.isLeaving,
      keep: (found) => {
        keep(core, found)
        tell(core, found)
      },
    }),
  }
  const begin = (): void => {
    if (core.channel || core.life.signal.aborted) return
    core.channel = openChannel<Message>(name, (message) => hear(core, message))
    start(core)
  }
  return {
    ...{ store, transmit },
    token: () => core.token,
    start: begin,
    dispose: () => {
      core.life.abort()
      core.channel?.close()
    },
    ready: (isQuery) => {
      begin()
      return ready(core, isQuery)
    },
    renewFrom: async (token) => {
      if (store.user() && core.token === token) await check(core, token)
      return store.is('signed-in')
    },
    check: (stale) => check(core, stale),
    adopt: (found) => {
      core.version++
      kept.set('out', null)
      settle(core, found)
      tell(core, found)
    },
    read: async (response, isSignIn) => {
      const token = response.ok && !isSignIn && !core.isRenewed && response.headers.get('x-csrf-token')
      if (token && token !== core.token) await take(core, { token })
      return !!delivery.read?.(response)
    },
    signOut: (everywhere) => {
      begin()
      const { token } = core
      return signOut(core, everywhere, delivery.end && (() => delivery.end?.(everywhere, token, ask)))
    },
    params: async () => {
      begin()
      await ready(core, false)
      return (core.token && (await delivery.params?.(core.token, toAbsolute(url)))) || {}
    },
  }
}

type Of<User extends { readonly id: string }> = Core<User>

function start<User extends { readonly id: string }>(core: Of<User>): void {
  const { store, life } = core
  const look = (): unknown => isHidden() || arrive(core)
  globalThis.document?.addEventListener('visibilitychange', look, life)
  const out = readOut(core.kept)
  if (out) leave(store, 'signed-out')
  if (out || store.is('loading')) void arrive(core)
}

async function ready<User extends { readonly id: string }>(core: Of<User>, isQuery: boolean): Promise<void> {
  if (core.store.is('loading') || readOut(core.kept)) await check(core)
  else await core.checking?.catch(ignore)
  const isShown = core.token ? performance.now() < core.expiresAt : isQuery
  if (core.store.user() && !isShown) await check(core, core.token)
}

/** Queries the session until the service answers, while the page is visible. */
async function arrive<User extends { readonly id: string }>(core: Of<User>): Promise<void> {
  const { store, life } = core
  if (core.isArriving) return
  core.isArriving = true
  for (let tries = 0; !life.signal.aborted; tries++) {
    await check(core).catch(ignore)
    if (!store.is('loading')) break
    store.set({ status: 'loading', isOffline: true })
    if (isHidden()) break
    await pause(backoff(tries), true, life.signal)
  }
  core.isArriving = false
}

function check<User extends { readonly id: string }>(core: Of<User>, stale?: string | null): Promise<void> {
  const end = (): void => {
    core.checking = undefined
  }
  core.checking ??= findOut(core, stale).finally(end)
  return core.checking
}

async function findOut<User extends { readonly id: string }>(core: Of<User>, stale?: string | null): Promise<void> {
  const { store } = core
  let version: number
  do {
    version = core.version
    const found = await core.find(stale)
    // A sign-in that waits for its second factor goes on, whoever is there until then.
    if (version !== core.version || found === undefined || store.is('second-factor')) continue
    const id = store.is('signed-in') && store.user()?.id
    settle(core, found)
    if (id && id !== store.user()?.id) tell(core, found)
  } while (version !== core.version || store.is('loading'))
}

/** Takes a token of a user who is not known yet. */
async function take<User extends { readonly id: string }>(core: Of<User>, found: Found<User>): Promise<void> {
  core.version++
  keep(core, found)
  await check(core).catch(ignore)
  tell(core, found)
}

async function signOut<User extends { readonly id: string }>(
  core: Of<User>,
  everywhere: boolean,
  end: (() => Promise<unknown> | undefined) | undefined,
): Promise<void> {
  const { store, kept } = core
  const state = store.get()
  if (state.status === 'signed-out') return
  const at = state.status === 'signed-in' ? state.session.authenticatedAt : null
  if (end) core.token = null
  else kept.set('out', JSON.stringify({ at, id: store.user()?.id, everywhere }))
  core.isLeaving = true
  core.version++
  leave(store, 'signed-out')
  core.channel?.post({ id: null, reason: 'signed-out' })
  await (end ? end() : check(core))?.catch(ignore)
  core.isLeaving = false
}

function keep<User extends { readonly id: string }>(
  core: Of<User>,
  { token = null, expiresIn }: Partial<Found<User>>,
): void {
  if (core.token === token) return
  core.token = token
  core.expiresAt = performance.now() + (expiresIn || Number.POSITIVE_INFINITY) * 1000
  if (core.isRenewed) core.kept.set('in', '1')
}

function settle<User extends { readonly id: string }>(core: Of<User>, found: Found<User> | null): void {
  const { store, kept } = core
  if (found?.session) {
    keep(core, found)
    store.set(toSignedIn(found.session))
    return
  }
  const reason = store.user() || kept.get('in') ? 'ended' : 'none'
  core.token = null
  kept.set('in', null)
  leave(store, reason)
}

function leave<User extends { readonly id: string }>(
  store: Store<User>,
  reason: 'none' | 'signed-out' | 'ended',
): void {
  if (!store.is('signed-out')) store.set({ status: 'signed-out', reason })
}

function tell<User extends { readonly id: string }>(core: Of<User>, found: Found<User> | null): void {
  if (readOut(core.kept)) return
  const { token = null, expiresIn = null, session } = found ?? {}
  const id = found && (session?.account ?? core.store.user())?.id
  core.channel?.post({ id, ...(core.isRenewed && { token, expiresIn, at: session?.authenticatedAt }) })
}

function hear<User extends { readonly id: string }>(core: Of<User>, message: Message): void {
  const { id, reason, token, at } = message
  const { store } = core
  const state = store.get()
  const isOther = id !== undefined && id !== store.user()?.id
  if (isOther) core.version++
  if (id === null) {
    core.token = null
    leave(store, reason ?? 'ended')
    return
  }
  if (token && core.isRenewed) keep(core, message)
  if (isOther) store.overtake()
  const isKnown = token && (!id || (state.status === 'signed-in' && state.session.authenticatedAt === at))
  if (isOther || !isKnown) void arrive(core)
}

function ignore(): void {}
