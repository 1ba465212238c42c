import { limitConnections, toNodeListener } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import createFastify, { type FastifyInstance } from 'fastify'
import { server as service } from './server.ts'

export function createApp(server: Server): FastifyInstance {
  const app = createFastify()
  const listener = toNodeListener(server)
  // The first hook comes before routes and body parsers.
  app.addHook('onRequest', (request, reply, done) => {
    if (!server.serves(request.raw.url ?? '')) return done()
    reply.hijack()
    listener(request.raw, reply.raw)
  })
  app.post('/echo', ({ body }) => body)
  return app
}

if (import.meta.main) {
  await service.open({ migrate: true })
  const app = createApp(service)
  limitConnections(app.server)
  await app.listen({ port: 4000, host: '127.0.0.1' })
}
