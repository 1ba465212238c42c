import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { limitConnections } from '@latchkey/http/node'
import { Hono } from 'hono'
import { graphql, streams } from './graphql.ts'

export const app = new Hono()

// On another runtime `getConnInfo` comes from its own adapter: hono/bun, hono/deno, hono/cloudflare-workers.
for (const [path, handler] of Object.entries({ '/graphql': graphql, '/graphql/stream': streams })) {
  app.all(path, (context) => {
    const peerAddress = getConnInfo(context).remote.address ?? null
    return handler.fetch(context.req.raw, { peerAddress })
  })
}

app.post('/echo', async (context) => context.json(await context.req.json()))

if (import.meta.main) limitConnections(serve({ fetch: app.fetch, port: 4000, hostname: '127.0.0.1' }) as Server)
