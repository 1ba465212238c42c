import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { limitConnections } from '@latchkey/http/node'
import type { Express } from 'express'
import type { FastifyInstance } from 'fastify'
import type { Hono } from 'hono'
import type Koa from 'koa'

/** Each returns the listening server of an application. */
export const start = {
  express: (app: Express): Server => app.listen(0, '127.0.0.1'),
  async fastify(app: FastifyInstance): Promise<Server> {
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  },
  hono: (app: Hono): Server => serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server,
  koa: (app: Koa): Server => app.listen(0, '127.0.0.1'),
  /** Route handlers for every path, which Next.js calls with Fetch requests. */
  anyPath(route: Readonly<Record<string, (request: Request) => Promise<Response>>>): Server {
    const refuse = async () => new Response(null, { status: 405 })
    const answer = (request: Request) => (route[request.method] ?? refuse)(request)
    return serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }) as Server
  },
  /** Route handlers by path, which Next.js calls with Fetch requests. */
  routes(routes: Readonly<Record<string, Readonly<Record<string, (request: Request) => Promise<Response>>>>>): Server {
    const notFound = async () => new Response(null, { status: 404 })
    const answer = (request: Request) => (routes[new URL(request.url).pathname]?.[request.method] ?? notFound)(request)
    return serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }) as Server
  },
}

export interface Running {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** Limits its connections, as each example does. */
export async function whenListening(server: Server): Promise<Running> {
  limitConnections(server)
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Posts an operation, as a client of GraphQL does. */
export function post(url: string, query: string, headers: Record<string, string> = {}): Promise<Response> {
  return postText(url, JSON.stringify({ query }), headers)
}

export function postText(url: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  const accept = 'application/graphql-response+json'
  const init = { method: 'POST', headers: { 'content-type': 'application/json', accept, ...headers }, body }
  return fetch(`${url}/graphql`, { ...init, duplex: 'half' } as RequestInit)
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
