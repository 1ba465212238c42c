import { backoff, pause } from '../platform/time.ts'
import { type Identified, leave, type Message, type Page, setState } from '../state/page.ts'
import type { Found } from '../state/session-fields.ts'
import { readOut } from '../state/sign-out.ts'
import { keep, settle, tell } from './credential.ts'
import { find } from './find.ts'

/** Starts the page at the first call. */
export function start<User extends Identified>(page: Page<User>): void {
  const { life, kept, name } = page
  if (page.channel || life.signal.aborted) return
  page.channel = openChannel(name)
  page.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(page, data))
  const look = (): unknown => isHidden() || arrive(page)
  globalThis.document?.addEventListener('visibilitychange', look, life)
  const out = readOut(kept)
  if (out) leave(page, 'signed-out')
  if (out || page.state.status === 'loading') void arrive(page)
}

/** Waits until the sign-in is known, and its credential can be sent. */
export async function ready<User extends Identified>(page: Page<User>, isQuery: boolean): Promise<void> {
  start(page)
  if (page.state.status === 'loading' || readOut(page.kept)) await check(page)
  else await page.checking?.catch(ignore)
  const isShown = page.token ? performance.now() < (page.expiresAt as number) : isQuery
  if (page.user && !isShown) await check(page, page.token)
}

/** Gets a newer credential than this token. Returns whether the request can be sent again. */
export async function renewFrom<User extends Identified>(page: Page<User>, token: string | null): Promise<boolean> {
  if (page.user && page.token === token) await check(page, token)
  return page.state.status === 'signed-in'
}

/** Queries the current sign-in. Concurrent calls share a query. */
export function check<User extends Identified>(page: Page<User>, stale?: string | null): Promise<void> {
  page.checking ??= findOut(page, stale).finally(() => {
    page.checking = undefined
  })
  return page.checking
}

/** Sets the state after a sign-in or a proof, and sends it to the other tabs. */
export function adopt<User extends Identified>(page: Page<User>, found: Found<User>): void {
  page.version++
  page.kept.set('out', null)
  settle(page, found)
  tell(page, found)
}

/** Reads a new credential or a nonce from a response. Returns whether the request must be sent again at once. */
export async function readCredential<User extends Identified>(
  page: Page<User>,
  response: Response,
  isSignIn: boolean,
): Promise<boolean> {
  const { renew, read } = page.delivery
  const token = response.ok && !isSignIn && !renew && response.headers.get('x-csrf-token')
  if (token && token !== page.token) {
    page.version++
    keep(page, { token })
    await check(page).catch(ignore)
    tell(page, { token })
  }
  return !!read?.(response)
}

/** Signs out on this page at once, and at the service as soon as it can be reached. */
export async function signOut<User extends Identified>(page: Page<User>, everywhere: boolean): Promise<void> {
  start(page)
  const { delivery, token, user } = page
  if (page.state.status === 'signed-out') return
  if (delivery.end) page.token = null
  else page.kept.set('out', JSON.stringify({ at: provenAt(page), id: user?.id, everywhere }))
  page.isLeaving = true
  page.version++
  leave(page, 'signed-out')
  page.channel?.postMessage?.({ id: null, reason: 'signed-out' })
  await (delivery.end?.(page, everywhere, token) ?? check(page)).catch(ignore)
  page.isLeaving = false
}

/** Queries the session until the service answers, while the page is visible. */
async function arrive<User extends Identified>(page: Page<User>): Promise<void> {
  const { signal } = page.life
  if (page.isArriving) return
  page.isArriving = true
  for (let tries = 0; !signal.aborted; tries++) {
    await check(page).catch(ignore)
    if (page.state.status !== 'loading') break
    setState(page, { status: 'loading', isOffline: true })
    if (isHidden()) break
    await pause(backoff(tries), true, signal)
  }
  page.isArriving = false
}

async function findOut<User extends Identified>(page: Page<User>, stale?: string | null): Promise<void> {
  let version: number
  do {
    version = page.version
    const found = await find(page, stale)
    const { status } = page.state
    // A sign-in that waits for its second factor keeps its state, even if another user is signed in until then.
    if (version !== page.version || found === undefined || status === 'second-factor') continue
    const id = status === 'signed-in' && page.user?.id
    settle(page, found)
    if (id && id !== page.user?.id) tell(page, found)
  } while (version !== page.version || page.state.status === 'loading')
}

function hear<User extends Identified>(page: Page<User>, message: Message): void {
  const { id, reason, token, at } = message
  const before = provenAt(page)
  const isOther = id !== undefined && id !== page.user?.id
  if (isOther) page.version++
  if (id === null) {
    page.token = null
    leave(page, reason ?? 'ended')
    return
  }
  if (token && page.delivery.renew) keep(page, message)
  if (isOther) {
    page.turn++
    setState(page, { status: 'loading', isOffline: false })
  }
  const isKnown = token && (!id || (at && at === before))
  if (isOther || !isKnown) void arrive(page)
}

/** Returns the time of the last proof, by the clock of the service. */
function provenAt<User extends Identified>({ state }: Page<User>): string | undefined {
  return state.status === 'signed-in' ? state.session.authenticatedAt : undefined
}

/** Opens the channel of this name. In a browser without channels its messages are dropped. */
function openChannel(name: string): BroadcastChannel {
  return new (globalThis.BroadcastChannel ?? EventTarget)(name)
}

function isHidden(): boolean | undefined {
  return globalThis.document?.hidden
}

/** Ignores the error of a check: the caller continues. */
export function ignore(): void {}
