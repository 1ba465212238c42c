import type { Server } from 'node:http'
import type { Example } from './example.ts'
import type { LatchkeyOptions } from './graphql-latchkey.ts'
import { memosExample } from './memos-example.ts'
import { notesExample } from './notes-example.ts'

/** A server and its requests. */
export interface GraphqlWay {
  readonly example: Example
  /** Opens the server; a number is the port of one that listens already. */
  open(): Promise<Server | number>
  /** The tokens of requests: none, always the same, or always a new token. */
  readonly tokens: 'none' | 'seen' | 'unseen'
  /** The copy of `graphql` that ours is given instead of the one that it has. */
  readonly graphql?: 'graphql'
}

type Peers = typeof import('./graphql-peers.ts')
type OpenOn = (example: Example) => Promise<Server | number>

const peer =
  (open: (peers: Peers, example: Example) => Promise<Server | number>): OpenOn =>
  async (example) =>
    open(await import('./graphql-peers.ts'), example)
const latchkey =
  (options: LatchkeyOptions): OpenOn =>
  async (example) =>
    (await import('./graphql-latchkey.ts')).createLatchkey(example, options)
const readers = { who: 'readers' } as const

type WayOn = Omit<GraphqlWay, 'example' | 'open'> & { readonly open: OpenOn }

/** The ways of both tables. */
const onBoth: Readonly<Record<string, WayOn>> = {
  'node:http alone': { open: peer((peers, example) => peers.createLimit(example)), tokens: 'none' },
  'latchkey, anonymous': { open: latchkey({ who: 'public' }), tokens: 'none' },
  'latchkey, token seen': { open: latchkey(readers), tokens: 'seen' },
  'latchkey, token seen, graphql 16': { open: latchkey(readers), tokens: 'seen', graphql: 'graphql' },
  'Mercurius + fast-jwt, by hand': {
    open: peer((peers, example) => peers.createMercuriusByHand(example, false)),
    tokens: 'seen',
  },
  'Mercurius + mercurius-auth': {
    open: peer((peers, example) => peers.createMercuriusAuth(example, false)),
    tokens: 'seen',
  },
  'Mercurius JIT + fast-jwt, by hand': {
    open: peer((peers, example) => peers.createMercuriusByHand(example, true)),
    tokens: 'seen',
  },
  'Mercurius JIT + mercurius-auth': {
    open: peer((peers, example) => peers.createMercuriusAuth(example, true)),
    tokens: 'seen',
  },
}

const onOurs: Readonly<Record<string, WayOn>> = {
  ...onBoth,
  'latchkey, token unseen': { open: latchkey(readers), tokens: 'unseen' },
  'graphql-http, anonymous': { open: peer((peers, example) => peers.createBareHandler(example)), tokens: 'none' },
  'graphql-http + jose': { open: peer((peers, example) => peers.createHandlerWithJose(example)), tokens: 'seen' },
  'Apollo Server + jose': { open: peer((peers, example) => peers.listenApollo(example)), tokens: 'seen' },
  'Yoga + jose': { open: peer((peers, example) => peers.createYogaServer(example)), tokens: 'seen' },
}

const on = (example: Example, ways: Readonly<Record<string, WayOn>>): Record<string, GraphqlWay> =>
  Object.fromEntries(
    Object.entries(ways).map(([name, { open, ...way }]) => [name, { ...way, example, open: () => open(example) }]),
  )

/** All ways, by schema. Each is a separate process that imports no code of the others. */
export const graphqlWays: Readonly<Record<SchemaName, Readonly<Record<string, GraphqlWay>>>> = {
  ours: on(notesExample, onOurs),
  peers: on(memosExample, onBoth),
}

export type SchemaName = 'ours' | 'peers'
