import type { Server } from 'node:http'
import type { LatchkeyOptions } from './graphql-latchkey.ts'

/** A server, and how it is asked. */
export interface GraphqlWay {
  /** Opens the server; a number is the port of one that listens already. */
  open(): Promise<Server | number>
  /** The tokens that requests show: none, one and the same, or one that the server has not seen before. */
  readonly tokens: 'none' | 'seen' | 'unseen'
  /** The copy of `graphql` that ours is given instead of the one that it has. */
  readonly graphql?: 'graphql'
}

type Peers = typeof import('./graphql-peers.ts')

const peer = (open: (peers: Peers) => Promise<Server | number>) => async () => open(await import('./graphql-peers.ts'))
const latchkey = (options: LatchkeyOptions) => async () =>
  (await import('./graphql-latchkey.ts')).createLatchkey(options)
const readers = { who: 'readers' } as const

/** Everything that is compared. Each is a process of its own that imports nothing of the others. */
export const graphqlWays: Readonly<Record<string, GraphqlWay>> = {
  'node:http alone': { open: peer((peers) => peers.createLimit()), tokens: 'none' },
  'latchkey, anonymous': { open: latchkey({ who: 'public' }), tokens: 'none' },
  'latchkey, token seen': { open: latchkey(readers), tokens: 'seen' },
  'latchkey, token unseen': { open: latchkey(readers), tokens: 'unseen' },
  'latchkey, token seen, graphql 16': { open: latchkey(readers), tokens: 'seen', graphql: 'graphql' },
  'graphql-http, anonymous': { open: peer((peers) => peers.createBareHandler()), tokens: 'none' },
  'graphql-http + jose': { open: peer((peers) => peers.createHandlerWithJose()), tokens: 'seen' },
  'Mercurius + fast-jwt, by hand': { open: peer((peers) => peers.createMercuriusByHand(false)), tokens: 'seen' },
  'Mercurius + mercurius-auth': { open: peer((peers) => peers.createMercuriusAuth(false)), tokens: 'seen' },
  'Mercurius JIT + fast-jwt, by hand': { open: peer((peers) => peers.createMercuriusByHand(true)), tokens: 'seen' },
  'Mercurius JIT + mercurius-auth': { open: peer((peers) => peers.createMercuriusAuth(true)), tokens: 'seen' },
  'Apollo Server + jose': { open: peer((peers) => peers.listenApollo()), tokens: 'seen' },
  'Yoga + jose': { open: peer((peers) => peers.createYogaServer()), tokens: 'seen' },
}
