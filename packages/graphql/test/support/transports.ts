import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Access, type AccessEvent, createGraphqlHandler, createSubscriptions } from '@latchkey/graphql'
import { toUpgradeListener } from '@latchkey/graphql/node'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { createIdentityReader } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { WebSocket } from 'ws'
import { policy, type TestPolicy } from './access-fixture.ts'
import { graphqlResponse, json } from './service.ts'

export interface Sent {
  readonly query: string
  readonly variables?: Record<string, unknown>
}

export interface Received {
  readonly transport: 'POST' | 'POST of JSON' | 'GET' | 'batch' | 'SSE' | 'WebSocket'
  /** All that the client receives: a body, a stream, the messages of a socket. */
  readonly text: string
}

export interface EveryTransport {
  readonly events: AccessEvent[]
  /** Sends one operation in every way there is. */
  ask(sent: Sent): Promise<Received[]>
  close(): Promise<void>
}

/** One access behind every transport, over HTTP. */
export async function openEveryTransport(access: Access<TestPolicy>): Promise<EveryTransport> {
  const events: AccessEvent[] = []
  const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })
  const options = { access, identify, observe: { onEvent: (event: AccessEvent) => events.push(event) } }
  const subscriptions = createSubscriptions(options)
  const sockets = createSocketHandler({ subscriptions })
  const handle = toNodeListener(createGraphqlHandler({ ...options, requestLimits: { batchSize: 2 } }))
  const stream = toNodeListener(createStreamHandler({ subscriptions }))
  const server = createServer((request, response) => (request.url === '/stream' ? stream : handle)(request, response))
  server.on('upgrade', toUpgradeListener(sockets, { path: '/socket' })).listen(0, '127.0.0.1')
  // A connection that is closed for being idle may be closed under the next request.
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const socket = await openSocket(port)
  const post = (body: unknown, accept: string, path = '/') =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': json, accept }, body: JSON.stringify(body) })
  const ways: Record<Received['transport'], (sent: Sent) => Promise<Response> | Promise<string>> = {
    POST: (sent) => post(sent, graphqlResponse),
    'POST of JSON': (sent) => post(sent, json),
    GET: ({ query, variables = {} }) =>
      fetch(`${url}/?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`),
    batch: (sent) => post([sent, sent], json),
    SSE: (sent) => post(sent, 'text/event-stream', '/stream'),
    WebSocket: (sent) => socket.ask(sent),
  }
  return {
    events,
    ask: (sent) =>
      Promise.all(
        Object.entries(ways).map(async ([transport, send]) => {
          const answer = await send(sent).catch((cause: unknown) => {
            throw new Error(`${transport} has no answer to ${JSON.stringify(sent)}`, { cause })
          })
          const text = typeof answer === 'string' ? answer : await answer.text()
          return { transport: transport as Received['transport'], text }
        }),
      ),
    async close() {
      socket.close()
      sockets.close()
      subscriptions.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Message {
  readonly id?: string
  readonly type: string
}

interface Asked {
  text: string
  readonly done: (text: string) => void
  readonly fail: (error: Error) => void
}

async function openSocket(port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, ['graphql-transport-ws'])
  const waiting = new Map<string, Asked>()
  let last = 0
  socket.on('message', (data) => {
    const text = data.toString()
    const { id = '', type } = JSON.parse(text) as Message
    const asked = waiting.get(id)
    if (!asked) return
    asked.text += text
    if (type === 'next') return
    waiting.delete(id)
    asked.done(asked.text)
  })
  socket.on('close', (code, reason) => {
    for (const { fail } of waiting.values()) fail(new Error(`the socket was closed with ${code} ${reason}`))
  })
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  return {
    ask: (payload: Sent) =>
      new Promise<string>((done, fail) => {
        const id = String(++last)
        waiting.set(id, { text: '', done, fail })
        socket.send(JSON.stringify({ id, type: 'subscribe', payload }))
      }),
    close: () => socket.close(),
  }
}
