import type { Server as NodeServer } from 'node:http'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { limitConnections } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import { Hono } from 'hono'
import { server as service } from './server.ts'

export function createApp(server: Server): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    const { raw } = context.req
    if (!server.serves(new URL(raw.url).pathname)) return next()
    return server.fetch(raw, { peerAddress: getConnInfo(context).remote.address ?? null })
  })
  app.post('/echo', async (context) => context.json(await context.req.json()))
  return app
}

if (import.meta.main) {
  await service.open({ migrate: true })
  limitConnections(serve({ fetch: createApp(service).fetch, port: 4000, hostname: '127.0.0.1' }) as NodeServer)
}
