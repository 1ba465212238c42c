// One small server in a process of its own: `sessions-server.ts <base> <way>`. It answers the same 40 bytes in any case.
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createExpressSession, sessionWays } from './sessions-ways.ts'

const [base = '', way = ''] = process.argv.slice(2)
const text = JSON.stringify({ data: { hello: 'session benchmark' } })
/** As long as that of a session, for the servers that do not look at it. */
const unread = `theme=dark; __Host-session=se_${'A'.repeat(22)}.${'A'.repeat(43)}`

const listener = base === 'express' ? openExpress(way) : await openNode(way)
const server = createServer(listener.handle).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, cookie: listener.cookie })
})
process.on('disconnect', () => process.exit())

async function openNode(name: string): Promise<{ handle: RequestListener; cookie: string }> {
  const answer = (response: ServerResponse, subject: string | null): void => {
    response.writeHead(subject === null ? 401 : 200, { 'content-type': 'application/json' }).end(text)
  }
  const open = sessionWays[name]
  if (!open && name !== 'promise') return { cookie: unread, handle: (_request, response) => answer(response, 'acc_1') }
  const { cookie, read } = open ? await open() : { cookie: unread, read: async () => 'acc_1' }
  const handle: RequestListener = async (request, response) =>
    answer(response, await read(request.headers.cookie ?? ''))
  return { handle, cookie }
}

function openExpress(name: string): { handle: RequestListener; cookie: string } {
  const app = express().disable('x-powered-by').disable('etag')
  if (name === 'express-session') {
    app.use(createExpressSession())
    app.get('/sign-in', (request, response) => {
      request.session.subject = 'acc_1'
      response.end()
    })
    app.use((request, response, next) => {
      if (request.session.subject === undefined) response.sendStatus(401)
      else next()
    })
  }
  app.get('/', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  return { handle: app, cookie: name === 'express-session' ? 'ask /sign-in' : unread }
}
