import { graphql, streams } from './graphql.ts'

type Route = (request: Request) => Promise<Response>

// Next.js has no name for the address of the connection: give the handlers `peerAddress` where your platform has it, and
// `{ waitUntil: after }`, of `next/server`, where the platform ends with the reply what a request has started.
/** `app/graphql/route.ts`: `export const { GET, POST } = …` */
export const graphqlRoute: Readonly<Record<'GET' | 'POST', Route>> = {
  GET: (request) => graphql.fetch(request),
  POST: (request) => graphql.fetch(request),
}

/**
 * `app/graphql/stream/route.ts`, with `export const dynamic = 'force-dynamic'` so that Next.js does not cache its responses.
 */
export const streamRoute: Readonly<Record<'GET' | 'POST', Route>> = {
  GET: (request) => streams.fetch(request),
  POST: (request) => streams.fetch(request),
}
