import { bodyParser } from '@koa/bodyparser'
import { limitConnections, toNodeListener } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import Koa from 'koa'
import { server as service } from './server.ts'

export function createApp(server: Server): Koa {
  const app = new Koa()
  const listener = toNodeListener(server)
  // Before body parsers: the service reads bodies itself, and answers by itself.
  app.use((context, next) => {
    if (!server.serves(context.originalUrl)) return next()
    context.respond = false
    listener(context.req, context.res)
    return undefined
  })
  app.use(bodyParser())
  app.use((context) => {
    if (context.path === '/echo') context.body = context.request.body
  })
  return app
}

if (import.meta.main) {
  await service.open({ migrate: true })
  limitConnections(createApp(service).listen(4000, '127.0.0.1'))
}
