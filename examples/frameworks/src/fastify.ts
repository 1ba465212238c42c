import { limitConnections, toNodeListener } from '@latchkey/http/node'
import createFastify from 'fastify'
import { graphql, streams } from './graphql.ts'

export const app = createFastify()

const mounted = { '/graphql': toNodeListener(graphql), '/graphql/stream': toNodeListener(streams) }

// A plugin of its own, so that the other routes keep their body parsers: this one reads nothing.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  for (const [path, listener] of Object.entries(mounted)) {
    scope.all(path, (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
  }
})

app.post('/echo', ({ body }) => body)

if (import.meta.main) {
  limitConnections(app.server)
  await app.listen({ port: 4000, host: '127.0.0.1' })
}
