import { type AuthClient, type AuthClientOptions, createAuthClient } from '@latchkey/client'
import { onTestFinished } from 'vitest'

export const url = 'https://app.test/graphql'

/** One request as the service saw it. */
export interface Seen {
  readonly query: string
  readonly variables: Readonly<Record<string, Record<string, unknown>>>
  readonly headers: Headers
}

interface Opened {
  readonly user: string
  csrf: string
  authenticatedAt: string
  isFresh: boolean
}

interface Family {
  readonly user: string
  /** The refresh token that counts, and the one before it with its attempt. */
  current: string
  previous?: { token: string; attempt: string | undefined; successor: string }
}

type Reply = (seen: Seen) => Response | undefined | Promise<Response | undefined>

/** A service in memory that answers as client.md says, as far as a client can tell. */
export class FakeService {
  readonly seen: Seen[] = []
  readonly ran: string[] = []
  readonly sessions = new Map<string, Opened>()
  readonly families: Family[] = []
  readonly tokens = new Map<string, string>()
  rotations = 0
  /** Answers in place of the service where it returns something. */
  stage: Reply = () => undefined
  isAway = false
  /** What is done, while its answer never arrives: after it the service is away. */
  loses: (seen: Seen) => boolean = () => false
  #count = 0

  /** How often something was asked. */
  count(part: string): number {
    return this.seen.filter(({ query }) => query.includes(part)).length
  }

  next(name: string): string {
    return `${name}-${++this.#count}`
  }

  open(user: string): string {
    const id = this.next('session')
    this.sessions.set(id, { user, csrf: this.next('csrf'), authenticatedAt: this.next('at'), isFresh: false })
    return id
  }

  openFamily(user: string): string {
    const token = this.next('refresh')
    this.families.push({ user, current: token })
    return token
  }

  issue(user: string): string {
    const token = this.next('access')
    this.tokens.set(token, user)
    return token
  }
}

/** A browser: its cookies, shared by its tabs. */
export class FakeBrowser {
  readonly service: FakeService
  session: string | undefined
  refresh: string | undefined
  readonly kept = new Map<string, string>()

  constructor(service = new FakeService()) {
    this.service = service
    const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
    const { kept } = this
    const value = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
      removeItem: (name: string) => void kept.delete(name),
    }
    Object.defineProperty(globalThis, 'localStorage', { value, configurable: true, writable: true })
    onTestFinished(() => {
      if (before) Object.defineProperty(globalThis, 'localStorage', before)
      else Reflect.deleteProperty(globalThis, 'localStorage')
    })
  }

  /** A page of this browser, until the test is over. */
  openTab(options: AuthClientOptions = {}): AuthClient {
    const auth = createAuthClient({ url, fetch: (input, init) => this.#fetch(new Request(input, init)), ...options })
    onTestFinished(() => auth.dispose())
    return auth
  }

  async #fetch(request: Request): Promise<Response> {
    const { service } = this
    request.signal.throwIfAborted()
    if (service.isAway) throw new TypeError('fetch failed')
    const { query, variables = {} } =
      request.method === 'GET' ? { query: new URL(request.url).searchParams.get('query') ?? '' } : await request.json()
    const seen = { query, variables, headers: request.headers }
    service.seen.push(seen)
    const staged = await service.stage(seen)
    await new Promise((resolve) => setTimeout(resolve, 1))
    const before = this.refresh
    const reply = staged ?? this.#answer(seen)
    if (!service.loses(seen)) return reply
    this.refresh = before
    service.isAway = true
    throw new TypeError('fetch failed')
  }

  #answer(seen: Seen): Response {
    const { query, variables, headers } = seen
    const { service } = this
    const bearer = headers.get('authorization')?.replace('Bearer ', '')
    const session = bearer === undefined ? service.sessions.get(this.session ?? '') : undefined
    const user = bearer === undefined ? session?.user : service.tokens.get(bearer)
    const input = variables.i ?? {}
    const shown = headers.get('x-csrf-token')
    if (session && (query.startsWith('mutation') || shown !== null) && shown !== session.csrf)
      return refuse(403, { code: 'CSRF_REJECTED' }, { 'x-csrf-token': session.csrf })
    if (/signIn\(|verifySecondFactor\(/.test(query)) return this.#signIn(query, input)
    if (query.includes('refresh(')) return this.#refresh(input.attempt as string | undefined)
    if (query.includes('signOut')) return this.#signOut(bearer)
    if (query.includes('confirmPassword(')) return this.#confirm(user, session, input)
    const isDead = user === undefined && (bearer ?? this.session) !== undefined
    return this.#read(query, user, session, isDead ? { 'latchkey-credential': 'invalid' } : {})
  }

  #read(query: string, user: string | undefined, session: Opened | undefined, sign: Record<string, string>): Response {
    if (query.startsWith('{session{')) return answer({ session: describe(user, session) }, sign)
    if (query.includes('secret') && user === undefined) return refuse(401, { code: 'UNAUTHENTICATED' }, sign)
    if (query.includes('guarded') && !session?.isFresh)
      return refuse(401, { code: 'STEP_UP_REQUIRED', challenge: 'c', factors: ['password'], maxAgeSeconds: 300 })
    this.service.ran.push(query)
    return answer({ user: user ?? null }, sign)
  }

  #signIn(query: string, { email, password, delivery, code, challenge }: Record<string, unknown>): Response {
    const { service } = this
    if (query.includes('signIn(') && password === 'wrong') return refuse(401, { code: 'INVALID_CREDENTIALS' })
    if (query.includes('signIn(') && String(email).startsWith('two-'))
      return answer({ v: { challenge: String(email), factors: ['totp', 'recovery-code'], session: null } })
    if (query.includes('verifySecondFactor(') && code !== '123456') return refuse(401, { code: 'INVALID_CREDENTIALS' })
    const user = String(email ?? challenge).split('@')[0] ?? ''
    if (delivery === 'TOKEN') {
      this.refresh = service.openFamily(user)
      return answer({ v: { accessToken: service.issue(user), expiresIn: 900, session: describe(user) } })
    }
    this.session = service.open(user)
    const session = service.sessions.get(this.session)
    return answer(
      { v: { csrfToken: session?.csrf, session: describe(user, session) } },
      { 'x-csrf-token': session?.csrf ?? '' },
    )
  }

  #refresh(attempt: string | undefined): Response {
    const { service, refresh } = this
    const family = service.families.find(
      ({ current, previous }) =>
        current === refresh || (previous?.token === refresh && attempt !== undefined && previous?.attempt === attempt),
    )
    if (!family || refresh === undefined) return refuse(401, { code: 'UNAUTHENTICATED' })
    if (family.current === refresh) {
      service.rotations++
      const successor = service.next('refresh')
      family.previous = { token: refresh, attempt, successor }
      family.current = successor
    }
    this.refresh = family.current
    return answer({
      p: { token: service.issue(family.user), expiresIn: 900, session: describe(family.user) },
    })
  }

  #signOut(bearer: string | undefined): Response {
    const isIn = bearer === undefined ? this.session !== undefined : this.service.tokens.has(bearer)
    if (this.session !== undefined) this.service.sessions.delete(this.session)
    this.session = undefined
    if (isIn) this.refresh = undefined
    return answer({ signOut: isIn })
  }

  #confirm(
    user: string | undefined,
    session: Opened | undefined,
    { currentPassword }: Record<string, unknown>,
  ): Response {
    if (currentPassword === 'wrong' || user === undefined) return refuse(403, { code: 'INVALID_CREDENTIALS' })
    if (!session)
      return answer({ v: { accessToken: this.service.issue(user), expiresIn: 900, session: describe(user) } })
    this.session = this.service.open(user)
    const next = this.service.sessions.get(this.session)
    if (next) next.isFresh = true
    return answer({ v: { csrfToken: next?.csrf, session: describe(user, next) } }, { 'x-csrf-token': next?.csrf ?? '' })
  }
}

function describe(user: string | undefined, session?: Opened): object | null {
  if (user === undefined) return null
  const account = { id: user, name: user, email: `${user}@example.com`, role: 'READER' }
  const { csrf = null, authenticatedAt = 'at' } = session ?? {}
  const info = { expiresIn: 3600, idleExpiresIn: 600, factors: ['password'], permissions: [], mustEnroll: false }
  return { account, csrfToken: csrf, authenticatedAt, impersonatedBy: null, ...info }
}

export function answer(data: unknown, headers: Record<string, string> = {}): Response {
  return Response.json({ data }, { headers })
}

export function refuse(status: number, extensions: object, headers: Record<string, string> = {}): Response {
  return Response.json({ errors: [{ message: 'no', extensions }] }, { status, headers })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits for the state of this name. */
export async function reach(auth: AuthClient, status: string): Promise<void> {
  for (let tries = 0; auth.getState().status !== status && tries < 300; tries++) await pause(10)
  if (auth.getState().status !== status) throw new Error(`${status} was not reached: ${auth.getState().status}`)
}
