// One small server in a process of its own: `sessions-server.ts <base> <way> <where the store is>`. It answers the same 40 bytes
// in any case.
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { type HandStore, openSessionsByHand } from './session-by-hand.ts'
import { openPostgresAt, openSqliteAt } from './sessions-stores.ts'
import { createExpressSession, openLatchkey, type SessionWay, sessionWays } from './sessions-ways.ts'

const [base = '', way = '', place = ''] = process.argv.slice(2)
const text = JSON.stringify({ data: { hello: 'session benchmark' } })
/** A cookie of the same length for the servers that do not read it. */
const unread = `theme=dark; __Host-session=se_${'A'.repeat(22)}.${'A'.repeat(43)}`

const listener = base === 'express' ? openExpress(way) : await openNode(way)
const server = createServer(listener.handle).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, cookie: listener.cookie })
})
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())

interface Listener {
  readonly handle: RequestListener
  readonly cookie: string
}

async function openNode(name: string): Promise<Listener> {
  const answer = (response: ServerResponse, subject: string | null): void => {
    response.writeHead(subject === null ? 401 : 200, { 'content-type': 'application/json' }).end(text)
  }
  if (name === 'none') return { cookie: unread, handle: (_request, response) => answer(response, 'acc_1') }
  if (name.startsWith('by hand')) return openByHand(name.replace('by hand, ', '') as HandStore, answer)
  const { cookie, read } = await openWay(name)
  const handle: RequestListener = async (request, response) =>
    answer(response, await read(request.headers.cookie ?? ''))
  return { handle, cookie }
}

async function openWay(name: string): Promise<SessionWay> {
  if (name === 'promise') return { cookie: unread, read: async () => 'acc_1' }
  if (name === 'latchkey, SQLite') return openLatchkey(await openSqliteAt(place))
  if (name === 'latchkey, PostgreSQL') return openLatchkey(await openPostgresAt(place))
  const open = sessionWays[name]
  if (!open) throw new Error(`there is no way called ${name}`)
  return open()
}

/** Answers synchronously if the store does. */
async function openByHand(
  store: HandStore,
  answer: (response: ServerResponse, subject: string | null) => void,
): Promise<Listener> {
  const sessions = await openSessionsByHand(store, place)
  const handle: RequestListener = ({ headers }, response) => {
    const row = sessions.byCookie(headers.cookie)
    if (row instanceof Promise) row.then((found) => answer(response, found?.accountId ?? null))
    else answer(response, row?.accountId ?? null)
  }
  return { handle, cookie: `theme=dark; ${sessions.cookie}` }
}

function openExpress(name: string): Listener {
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
