import { bodyParser } from '@koa/bodyparser'
import { limitConnections, toNodeListener } from '@latchkey/http/node'
import Koa from 'koa'
import { graphql, streams } from './graphql.ts'

export const app = new Koa()

const mounted = new Map([
  ['/graphql', toNodeListener(graphql)],
  ['/graphql/stream', toNodeListener(streams)],
])

// Before body parsers: the handler reads the body itself, and answers by itself.
app.use(async (context, next) => {
  const listener = mounted.get(context.path)
  if (!listener) return next()
  context.respond = false
  listener(context.req, context.res)
})

app.use(bodyParser())
app.use((context) => {
  if (context.path === '/echo') context.body = context.request.body
})

if (import.meta.main) limitConnections(app.listen(4000, '127.0.0.1'))
