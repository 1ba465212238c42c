import { limitConnections, toNodeListener } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import express, { type Express } from 'express'
import { server as service } from './server.ts'

export function createApp(server: Server): Express {
  const app = express()
  const listener = toNodeListener(server)
  // Before body parsers: the service reads bodies itself, up to its own limits.
  app.use((request, response, next) => (server.serves(request.originalUrl) ? listener(request, response) : next()))
  app.use(express.json())
  app.post('/echo', ({ body }, response) => void response.json(body))
  return app
}

if (import.meta.main) {
  await service.open({ migrate: true })
  limitConnections(createApp(service).listen(4000, '127.0.0.1'))
}
