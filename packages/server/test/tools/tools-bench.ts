import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { createAuthorizationServer, type FixedClient } from '@latchkey/oauth/server'
import type { ServerOptions } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { onTestFinished } from 'vitest'
import { createOAuthBench, desk, type OAuthBench, spa } from '../oauth/support/oauth-bench.ts'
import type { AppOptions, BenchOptions } from '../support/bench.ts'

export const mcp = 'https://example.com/mcp'
export const graphql = 'https://example.com/graphql'

type McpParts = Parameters<Required<ServerOptions<never>>['mcp']>[0]
type Mcp = ReturnType<Required<ServerOptions<never>>['mcp']>
type Call = Parameters<Mcp['respond']>[1]

/** One message to the tools of the bench: an operation whose name is `tool`. */
export interface ToolMessage {
  readonly query: string
  readonly variables?: object
  readonly kind?: 'query' | 'mutation'
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  /** An access token or an API key. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any
}

export interface ToolsBench extends OAuthBench {
  /** The arguments of the option `mcp`, each time it was called. */
  readonly parts: McpParts[]
  /** The calls that reached the tools. */
  readonly calls: Call[]
  readonly close: () => Promise<void>
  /** Sends a request over a socket, by default to `/mcp`. */
  readonly send: (sent: Sent) => Promise<Heard>
  /** Sends a message to the tools. */
  readonly call: (token: string | null, message: ToolMessage, headers?: Sent['headers']) => Promise<Heard>
}

export interface ToolsBenchOptions extends BenchOptions {
  readonly clients?: readonly FixedClient[]
  /** Replaces the response of the tools. */
  readonly respond?: Mcp['respond']
}

const machine: FixedClient = {
  id: 'machine',
  name: 'Nightly',
  authentication: ['client_secret_basic'],
  secret: 'secret-of-the-machine',
  grantTypes: ['client_credentials'],
  redirectUris: [],
  scopes: ['notes:write'],
}

/** A service for one test. */
export async function createToolsBench(given: ToolsBenchOptions = {}): Promise<ToolsBench> {
  const bench = await openToolsBench(given)
  onTestFinished(bench.close)
  return bench
}

/** A service whose tools are any operation: it stands for `createMcp`, whose messages are no matter of the server. */
export async function openToolsBench(given: ToolsBenchOptions = {}): Promise<ToolsBench> {
  const parts: McpParts[] = []
  const calls: Call[] = []
  const respond: Mcp['respond'] = given.respond ?? respondTo
  const options: AppOptions = {
    oauth: (all) =>
      createAuthorizationServer({
        ...all,
        fixedClients: [spa, desk, machine, ...(given.clients ?? [])],
        consent: () => 'granted',
      }),
    mcp(all) {
      parts.push(all)
      return {
        verdicts: [],
        respond(request, call) {
          calls.push(call)
          return respond(request, call)
        },
      }
    },
    ...given.options,
  }
  const bench = createOAuthBench({ ...given, options })
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  const send: ToolsBench['send'] = (sent) => sendTo(listener.port, sent)
  return {
    ...bench,
    parts,
    calls,
    close: () => listener.close(),
    send,
    call: (token, message, headers = {}) =>
      send({ ...(token !== null && { token }), headers, body: JSON.stringify(message) }),
  }
}

const scopes = 'openid notes:write'

/** Answers a message as a tool would, with the status and the body of the endpoint. */
const respondTo: Mcp['respond'] = async (request, call) => {
  if (request.method !== 'POST') return { status: 405, headers: [['Allow', 'POST']], body: null }
  const { query, variables = {}, kind = 'query' }: ToolMessage = JSON.parse(await request.body(65_536))
  const { identity, isTokenRefused } = call
  const error = isTokenRefused ? 'error="invalid_token", ' : ''
  if (!identity) {
    return { status: 401, headers: [['WWW-Authenticate', `Bearer realm="mcp", ${error}scope="${scopes}"`]], body: null }
  }
  const tool = { tool: 'tool', kind, documentHash: 'ab12' } as const
  const limit = await call.limit()
  if (limit) {
    await call.called({ ...tool, outcome: 'refused' })
    return { status: 429, headers: [['Retry-After', String(limit.retryAfterSeconds)]], body: null }
  }
  const operation = { query, operationName: 'tool', variables: { ...variables }, kind, documentHash: 'ab12' }
  const { status, headers, body } = await call.execute(operation)
  const isRefused = status === 401 || status === 403
  await call.called({ ...tool, outcome: isRefused ? 'refused' : status === 200 ? 'done' : 'failed' })
  const kept = headers.filter(([name]) => /^(?:www-authenticate|retry-after)$/i.test(name))
  return { status, headers: [...kept, ['Content-Type', 'application/json']], body }
}

async function sendTo(port: number, { method = 'POST', path = '/mcp', token, headers = {}, body = '' }: Sent) {
  const own = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const options = { host: '127.0.0.1', port, method, path, headers: { ...own, ...headers }, agent: false }
  const sending = sendRequest(options)
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.end(body)
  const [response] = await answered
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  const received = new Headers()
  for (const [name, values = []] of Object.entries(response.headersDistinct)) {
    for (const value of values) received.append(name, value)
  }
  return { status: response.statusCode ?? 0, headers: received, text, json: text === '' ? null : parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
