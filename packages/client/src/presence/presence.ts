import { postRequest } from '../answers/post-request.ts'
import { readData } from '../answers/read-answer.ts'
import { type AuthError, isUnanswered, networkError } from '../errors.ts'
import { isHidden } from '../platform/is-hidden.ts'
import { type Channel, openChannel } from '../platform/open-channel.ts'
import type { Kept } from '../platform/open-storage.ts'
import { abortAfter, backoff, pause } from '../platform/time.ts'
import { withLock } from '../platform/with-lock.ts'
import { toAbsolute } from '../requests/own-request.ts'
import { createStore, type Store } from '../state/create-store.ts'
import { type Session, sessionFields, toSignedIn } from '../state/session-fields.ts'
import type { Delivery, Found } from './delivery.ts'
import { readOut, type SignOut, writeOut } from './sign-out.ts'

const boundMs = 8000
const messageMs = 50

/** What a presence needs to know. */
export interface PresenceOptions<User> {
  readonly url: string
  readonly userFields: string
  readonly fetch: typeof fetch | undefined
  readonly delivery: Delivery<User>
  readonly kept: Kept
}

interface Credential {
  readonly token: string | null
  /** A hint: the service decides. */
  readonly expiresAt: number
}

/** What tabs tell each other: who is there, and the access token that they share. */
interface Message {
  /** Absent where the one who renewed did not know yet. */
  readonly id?: string | null | undefined
  readonly reason?: 'signed-out' | 'ended'
  readonly credential?: Found<never>
  readonly at?: string | undefined
}

/** Who is signed in on this page, and how that stays true: arrival, looks, renewals, other tabs, the end. */
export class Presence<User extends { readonly id: string }> {
  readonly store: Store<User> = createStore()
  readonly #options: PresenceOptions<User>
  readonly #life = new AbortController()
  #channel: Channel<Message> | undefined
  #credential: Credential | undefined
  /** Counts sign-ins and sign-outs: what was found before the last one does not count. */
  #serial = 0
  /** Counts what makes the service worth asking again, also while it is asked. */
  #doubts = 0
  #checking: Promise<void> | undefined
  #leaving: Promise<void> | undefined
  #isArriving = false

  constructor(options: PresenceOptions<User>) {
    this.#options = options
  }

  /** Begins at the first call, once. */
  start(): void {
    if (this.#channel || this.#life.signal.aborted) return
    this.#channel = openChannel(this.#name(), (message) => this.#hear(message))
    const look = (): void => void (isHidden() || this.#look())
    globalThis.document?.addEventListener('visibilitychange', look, { signal: this.#life.signal })
    if (readOut(this.#options.kept)) this.store.set({ status: 'signed-out', reason: 'signed-out' })
    if (this.store.get().status === 'loading' || readOut(this.#options.kept)) this.#look()
  }

  dispose(): void {
    this.#life.abort()
    this.#channel?.close()
  }

  token(): string | null {
    return this.#credential?.token ?? null
  }

  /** Sends a request with a credential, once. */
  async transmit(request: Request, body: ArrayBuffer | null, token: string | null): Promise<Response> {
    const { delivery, fetch } = this.#options
    const sent = new Request(request, { credentials: delivery.credentials, ...(body && { body }) })
    await delivery.sign(sent, token)
    return (fetch ?? globalThis.fetch)(sent)
  }

  /** Waits until it is known who is there, and until requests can show it. */
  async ready(isQuery: boolean): Promise<void> {
    this.start()
    if (readOut(this.#options.kept)) await this.#leave()
    if (this.store.get().status === 'loading') return this.check()
    await this.#checking?.catch(ignore)
    if (!this.store.user()) return
    const isShown = this.#credential ? performance.now() < this.#credential.expiresAt : isQuery
    if (!isShown) await this.check(this.token())
  }

  /** Finds something newer than this token, for the same request again. */
  async renewFrom(token: string | null): Promise<boolean> {
    if (!this.store.user()) return false
    if (this.token() === token) await this.check(token)
    return this.store.get().status === 'signed-in'
  }

  /** Asks the service who is there, once for all who ask meanwhile. */
  check(stale?: string | null): Promise<void> {
    const end = (): void => {
      this.#checking = undefined
    }
    this.#checking ??= this.#check(stale).finally(end)
    return this.#checking
  }

  /** Takes what a sign-in or a proof has brought. */
  adopt(found: Found<User>): void {
    this.#serial++
    writeOut(this.#options.kept, null)
    this.#settle(found)
    this.#tell(found)
  }

  /** Reads what an answer says of the credential; whether the request must be sent again at once. */
  async read(response: Response, isSignIn: boolean): Promise<boolean> {
    const { delivery } = this.#options
    const token = response.ok && !isSignIn && !delivery.renew ? response.headers.get('x-csrf-token') : null
    if (token !== null && token !== this.token()) await this.#noticeRenewal(token)
    return delivery.read(response)
  }

  /** Signs out here and now, and tells the service when it can. */
  async signOut(everywhere: boolean): Promise<void> {
    this.start()
    const { kept, delivery } = this.#options
    const state = this.store.get()
    if (state.status === 'signed-out') return
    const at = state.status === 'signed-in' ? state.session.authenticatedAt : null
    const token = this.token()
    if (!delivery.end) writeOut(kept, { at, everywhere })
    this.#serial++
    this.#settle(null, 'signed-out')
    this.#channel?.post({ id: null, reason: 'signed-out' })
    const ended = delivery.end?.(everywhere, token, (...asked) => this.ask(...asked))
    await (ended ?? this.#leave(token)).catch(ignore)
  }

  /** Asks the service once, within a bounded time. */
  async ask<Data>(query: string, variables?: unknown, token: string | null = null): Promise<Data> {
    const { delivery, url } = this.#options
    const request = postRequest(toAbsolute(url), query, variables, abortAfter(boundMs))
    const body = await request.arrayBuffer()
    const response = await this.#transmitOrMiss(request, body, token)
    return readData(delivery.read(response) ? await this.#transmitOrMiss(request, body, token) : response)
  }

  /** Returns what `connection_init` carries. */
  async params(): Promise<Record<string, string>> {
    await this.ready(false)
    return this.#options.delivery.params(this.token(), toAbsolute(this.#options.url))
  }

  async #transmitOrMiss(request: Request, body: ArrayBuffer, token: string | null): Promise<Response> {
    try {
      return await this.transmit(request, body, token)
    } catch (error) {
      throw networkError(error)
    }
  }

  #name(): string {
    return `latchkey ${toAbsolute(this.#options.url)}`
  }

  #look(): void {
    const { status } = this.store.get()
    if (status === 'loading') void this.#arrive()
    else if (readOut(this.#options.kept)) void this.#leave().catch(ignore)
    else if (status !== 'second-factor') void this.check().catch(ignore)
  }

  async #arrive(): Promise<void> {
    if (this.#isArriving) return
    this.#isArriving = true
    const { signal } = this.#life
    for (let tries = 0; this.store.get().status === 'loading' && !signal.aborted; tries++) {
      const waitMs = await this.check().then(noWait, (error) => this.#miss(error) || backoff(tries))
      if (isHidden()) break
      if (waitMs > 0) await pause(waitMs, signal, true)
    }
    this.#isArriving = false
  }

  #miss({ retryAfterSeconds }: AuthError): number {
    if (this.store.get().status === 'loading') this.store.set({ status: 'loading', isOffline: true })
    return (retryAfterSeconds ?? 0) * 1000
  }

  async #check(stale?: string | null): Promise<void> {
    let doubts: number
    do {
      doubts = this.#doubts
      const serial = this.#serial
      const found = await this.#find(stale)
      if (found !== undefined && serial === this.#serial && doubts === this.#doubts) this.#conclude(found)
    } while (doubts !== this.#doubts || this.store.get().status === 'loading')
  }

  /** A sign-in that waits for its second factor goes on, whoever is there until then. */
  #conclude(found: Found<User> | null): void {
    const { status } = this.store.get()
    const previous = status === 'signed-in' ? this.store.user() : null
    if (status !== 'second-factor') this.#settle(found)
    else if (found) this.#keep(found)
    if (previous && previous.id !== found?.session?.account.id) this.#tell(found)
  }

  /** Returns who is there; `null`: nobody; `undefined`: another tab has just told. */
  async #find(stale?: string | null): Promise<Found<User> | null | undefined> {
    const { delivery, kept } = this.#options
    const token = this.token()
    if (!delivery.renew || (token !== null && token !== stale)) {
      const found = await this.#lookUp(token)
      if (found || !delivery.renew) return found
    }
    if (!(delivery.mayRenew?.() ?? kept.get('in') !== null)) return null
    const found = await withLock(this.#name(), (waited) => this.#rotate(token, waited))
    return found && !found.session ? this.#lookUp(found.token) : found
  }

  async #rotate(stale: string | null, waited: boolean): Promise<Found<User> | null | undefined> {
    const serial = this.#serial
    if (waited) await pause(messageMs)
    if (this.token() !== stale) return undefined
    const found = await this.#renew()
    if (found && serial === this.#serial) this.#keep(found)
    if (found && serial === this.#serial) this.#tell(found)
    return found
  }

  async #renew(): Promise<Found<User> | null> {
    return (await this.#options.delivery.renew?.((...asked) => this.ask(...asked))) ?? null
  }

  async #lookUp(token: string | null): Promise<Found<User> | null> {
    const { delivery, userFields } = this.#options
    const query = `{${sessionFields(userFields)}}`
    const { session } = await this.ask<{ readonly session: Session<User> | null }>(query, undefined, token)
    return session && { token: delivery.renew ? token : session.csrfToken, session }
  }

  #keep({ token, expiresIn }: Found<unknown>): void {
    if (this.#credential?.token === token) return
    this.#credential = { token, expiresAt: expiresIn ? performance.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY }
    if (this.#options.delivery.renew) this.#options.kept.set('in', '1')
  }

  #settle(found: Found<User> | null, reason?: 'signed-out'): void {
    const { kept } = this.#options
    if (found?.session) {
      this.#keep(found)
      this.store.set(toSignedIn(found.session))
      return
    }
    const wasThere = this.store.user() || kept.get('in')
    this.#credential = undefined
    kept.set('in', null)
    if (this.store.get().status === 'signed-out') return
    this.store.set({ status: 'signed-out', reason: reason ?? (wasThere ? 'ended' : 'none') })
  }

  #tell(found: Found<User> | null): void {
    const { token = null, expiresIn = null, session } = found ?? {}
    const id = found && (session?.account ?? this.store.user())?.id
    const shared = { credential: { token, expiresIn }, at: session?.authenticatedAt }
    this.#channel?.post({ id, ...(id !== null && this.#options.delivery.renew && shared) })
  }

  #hear({ id, reason = 'ended', credential, at }: Message): void {
    const state = this.store.get()
    if (id === null) this.#hearEnd(reason)
    else if (credential) this.#keep(credential)
    if (id === null || id === undefined) return
    const isSame = id === this.store.user()?.id
    if (!isSame) this.#doubts++
    if (!isSame) this.store.overtake()
    const isKnown = credential && state.status === 'signed-in' && state.session.authenticatedAt === at
    if (!isSame || !isKnown) this.#look()
  }

  #hearEnd(reason: 'signed-out' | 'ended'): void {
    if (this.store.get().status === 'signed-out') return
    this.#serial++
    this.#credential = undefined
    this.store.set({ status: 'signed-out', reason })
  }

  /** A session has a new id, or somebody has signed in, by a request that is not of this package. */
  async #noticeRenewal(token: string): Promise<void> {
    this.#doubts++
    this.#keep({ token })
    await this.check().catch(ignore)
    this.#channel?.post({ id: this.store.user()?.id })
  }

  #leave(token?: string | null): Promise<void> {
    const end = (): void => {
      this.#leaving = undefined
    }
    this.#leaving ??= this.#sendOut(readOut(this.#options.kept), token).finally(end)
    return this.#leaving
  }

  async #sendOut(out: SignOut | null, token?: string | null): Promise<void> {
    if (!out || (token && (await this.#isOut(out, token)))) return writeOut(this.#options.kept, null)
    const found = await this.#findToLeave()
    const isOther = out.at !== null && found?.session?.authenticatedAt !== out.at
    if (found && isOther) return this.adopt(found)
    if (found) await this.#isOut(out, found.token)
    writeOut(this.#options.kept, null)
  }

  #findToLeave(): Promise<Found<User> | null> {
    return this.#options.delivery.renew ? withLock(this.#name(), () => this.#renew()) : this.#lookUp(null)
  }

  async #isOut({ at, everywhere }: SignOut, token: string | null): Promise<boolean> {
    try {
      const fields = everywhere ? 'revokeAllSessions signOut' : 'signOut'
      return (await this.ask<{ readonly signOut: boolean }>(`mutation{${fields}}`, undefined, token)).signOut
    } catch (error) {
      if (isUnanswered(error)) throw error
      return everywhere && this.#isOut({ at, everywhere: false }, token)
    }
  }
}

function ignore(): void {}

function noWait(): number {
  return 0
}
