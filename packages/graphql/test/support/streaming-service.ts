import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AccessError,
  type AccessEvent,
  compileAccess,
  createSubscriptions,
  type StreamLimits,
  type Subscriptions,
} from '@latchkey/graphql'
import { toUpgradeListener } from '@latchkey/graphql/node'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { definePolicy, type IdentityInput } from '@latchkey/rbac'
import { StoreError } from '@latchkey/store'
import { isObjectType } from 'graphql'
import { onTestFinished } from 'vitest'
import { schemaOf } from './access-fixture.ts'

const policy = definePolicy({
  permissions: ['notes:read', 'notes:secret', 'ownership:bypass'],
  roles: { READER: { permissions: ['notes:read'] }, KEEPER: { permissions: ['notes:read', 'notes:secret'] } },
  ownership: { notes: { ownerOf: (note: Note) => note.owner, ownersById: async () => new Map([['1', 'ada']]) } },
})

export interface Note {
  readonly id: string
  readonly owner: string
  /** What happens when it is resolved. */
  readonly fate?: 'NOT_FOUND' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'broken' | 'down' | 'hangs'
}

/** A sign-in; tests change it while streams are open. */
export interface Login extends Pick<IdentityInput, 'key' | 'kind' | 'scopes' | 'firstParty'> {
  subject: string
  roles: readonly string[]
  epoch: number
  expiresAt?: number
}

export const cookie = createSessionCookie()
export const origin = 'https://example.com'
export const forgery = createForgeryCheck({
  origins: [origin],
  secrets: [{ id: '1', bytes: new Uint8Array(32).fill(7) }],
})

const sdl = `
  scalar Raw
  type Note { id: ID! @public, raw: Raw @public, secret: String @requires(permissions: "notes:secret"), diary: String @owner(of: "notes"), inner: Note @public }
  type Query { hello: String @public }
  type Mutation { touch: Boolean @public }
  type Subscription {
    ticks(first: Int): Int! @public
    notes(first: Int): Note! @requires(permissions: "notes:read")
    mine(id: ID!): Note! @authenticated @owner(of: "notes", argument: "id")
    broken: Int @public
    never: Int @public
  }`

export interface StreamingService {
  readonly port: number
  readonly url: string
  readonly logins: Map<string, Login>
  readonly events: AccessEvent[]
  readonly subscriptions: Subscriptions
  /** How often an identity was read. */
  reads(): number
  /** The number of open sources. */
  sources(): number
  publish(event: unknown): void
  /** Ends all sources after the published events. */
  finish(): void
  /** `down`: reading an identity fails; `fails once`: only the next time. */
  store: 'up' | 'down' | 'hangs' | 'fails once'
  /** Closes everything, as a service does that shuts down. */
  close(): void
}

export interface StreamingOptions extends Partial<Parameters<typeof createSubscriptions<typeof policy>>[0]> {
  readonly limits?: Partial<StreamLimits>
}

/** Serves both transports on one port: `/stream` and `/socket`. */
export async function serveStreams(options: StreamingOptions = {}): Promise<StreamingService> {
  const sources = new Set<Source>()
  const logins = new Map<string, Login>([
    ['ada', { subject: 'ada', roles: ['KEEPER'], epoch: 0 }],
    ['bob', { subject: 'bob', roles: ['READER'], epoch: 0 }],
    ['eve', { subject: 'eve', roles: [], epoch: 0 }],
  ])
  const events: AccessEvent[] = []
  const state: Pick<StreamingService, 'store'> = { store: 'up' }
  let reads = 0
  const verify = async (credential: string) => {
    reads++
    const isDown = state.store === 'down' || state.store === 'fails once'
    if (state.store === 'fails once') state.store = 'up'
    if (isDown) throw new StoreError('STORE_UNAVAILABLE', 'secret host 10.0.0.7 is down')
    if (state.store === 'hangs') await new Promise(() => undefined)
    const login = logins.get(credential)
    return policy.identify(login ? { key: `se_${credential}`, ...login } : null)
  }
  const schema = schemaOf(sdl, {
    Note: { secret: () => 'secret', diary: () => 'diary', inner: (note: Note) => meet(note) },
    Query: { hello: () => 'hello' },
    Mutation: { touch: () => true },
    Subscription: {
      ticks: (event: unknown) => event,
      notes: (note: Note) => meet(note),
      mine: (note: Note) => meet(note),
    },
  })
  const type = schema.getSubscriptionType()
  if (!isObjectType(type)) throw new Error('no subscriptions')
  for (const [name, field] of Object.entries(type.getFields())) {
    field.subscribe = () => {
      if (name === 'broken') throw new Error('secret bug')
      return name === 'never' ? new Promise(() => undefined) : createSource(sources)
    }
  }
  const subscriptions = createSubscriptions({
    access: compileAccess({ schema, policy }),
    identify: createIdentityReader({ cookie: { cookie, verify }, bearer: { verify } }),
    expiresAt: ({ subject }) => [...logins.values()].find((login) => login.subject === subject)?.expiresAt ?? null,
    forgery,
    cookies: [cookie],
    observe: { onEvent: (event) => events.push(event) },
    ...options,
    limits: { recheckMs: 100, ...options.limits },
  })
  const sockets = createSocketHandler({ subscriptions })
  const server = createServer(toNodeListener(createStreamHandler({ subscriptions })))
  server.on('upgrade', toUpgradeListener(sockets, { path: '/socket' }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    sockets.close()
    subscriptions.close()
  }
  onTestFinished(() => {
    close()
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(state, {
    port,
    url: `http://127.0.0.1:${port}/stream`,
    logins,
    events,
    subscriptions,
    sources: () => sources.size,
    reads: () => reads,
    publish(event: unknown) {
      for (const source of sources) source.push(event)
    },
    finish() {
      for (const source of sources) source.push(ending)
    },
    close,
  })
}

function meet(note: Note): Note | Promise<Note> {
  if (note.fate === 'broken') throw new Error('secret bug')
  if (note.fate === 'down') throw new StoreError('STORE_UNAVAILABLE', 'secret host 10.0.0.7 is down')
  if (note.fate === 'hangs') return new Promise(() => undefined)
  if (note.fate) throw new AccessError(note.fate)
  return note
}

const ending = Symbol('the source ends')

interface Source extends AsyncIterator<unknown> {
  push(event: unknown): void
}

/** A source that keeps published events until they are requested, and is done once it is returned. */
function createSource(sources: Set<Source>): AsyncIterable<unknown> {
  const queue: unknown[] = []
  let wake: (() => void) | null = null
  const source: Source = {
    push(event) {
      queue.push(event)
      wake?.()
    },
    async next() {
      while (queue.length === 0 && sources.has(source)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (!sources.has(source)) return { done: true, value: undefined }
      const event = queue.shift()
      if (event instanceof Error) throw event
      if (event === ending) return source.return?.() ?? { done: true, value: undefined }
      return { done: false, value: event }
    },
    async return() {
      sources.delete(source)
      wake?.()
      return { done: true, value: undefined }
    },
  }
  sources.add(source)
  return { [Symbol.asyncIterator]: () => source }
}
