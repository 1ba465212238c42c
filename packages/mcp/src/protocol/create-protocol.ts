import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Tool } from '../tools/tool.ts'
import { callTool, type McpCall } from './call-tool.ts'
import type { Message } from './read-message.ts'
import { type Rejection, writeRejection, writeResponse } from './rejection.ts'

export interface ProtocolOptions {
  readonly tools: ReadonlyMap<string, Tool>
  /** The address of the resource. */
  readonly resource: string
  readonly serverInfo: { readonly name: string; readonly version: string }
}

/** Answers the messages of clients whose token is valid. */
export type Protocol = (request: HttpRequest, message: Message, call: McpCall) => Promise<HttpResponse>

/** A message, with its rejection or failure. */
interface Exchange {
  readonly call: McpCall
  rejection: Rejection | null
  /** A thrown error: the protocol would send its message. */
  failure: { readonly error: unknown } | null
}

const listSeconds = 60

/** Creates a handler for messages of both revisions of the protocol. */
export function createProtocol({ tools, resource, serverInfo }: ProtocolOptions): Protocol {
  const exchanges = new WeakMap<Request, Exchange>()
  const serve = (exchange: Exchange): Server => createToolServer(exchange, tools, serverInfo)
  const current = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      if (!exchange) throw new TypeError('the message has no call')
      return serve(exchange)
    },
    { legacy: 'reject' },
  )
  return async (request, message, call) => {
    const exchange: Exchange = { call, rejection: null, failure: null }
    const sent = toFetchRequest(request, message, resource)
    exchanges.set(sent, exchange)
    const parsed = { parsedBody: message.body }
    const isEarlier = message.body !== undefined && (await isLegacyRequest(sent, message.body))
    const response = await (isEarlier ? serveEarlier(sent, parsed, serve(exchange)) : current.fetch(sent, parsed))
    if (exchange.failure) throw exchange.failure.error
    return exchange.rejection ? writeRejection(exchange.rejection, message.id) : writeResponse(response)
  }
}

/** The revisions of 2025, without sessions and streams. */
async function serveEarlier(
  request: Request,
  parsed: { readonly parsedBody: unknown },
  server: Server,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, parsed)
  } finally {
    void server.close()
  }
}

/** Credentials stay here: the protocol gets only its own headers. */
function toFetchRequest({ headers, signal }: HttpRequest, { text }: Message, resource: string): Request {
  const own = [...headers].filter(([name]) => /^(?:accept|content-type|mcp-.+)$/.test(name))
  return new Request(resource, { method: 'POST', headers: own, body: text, signal })
}

function createToolServer(
  exchange: Exchange,
  tools: ReadonlyMap<string, Tool>,
  serverInfo: ProtocolOptions['serverInfo'],
): Server {
  const { identity } = exchange.call
  const server = new Server(serverInfo, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({
    tools: [...tools.values()].filter((tool) => isVisible(tool, identity)).map(({ listed }) => listed),
    cacheScope: 'private' as const,
    ttlMs: listSeconds * 1000,
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool || !isVisible(tool, identity)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool')
    try {
      const outcome = await callTool(tool, params.arguments, exchange.call)
      if (outcome.ok) return outcome.result
      exchange.rejection = outcome.rejection
    } catch (error) {
      exchange.failure = { error }
    }
    return { content: [], isError: true }
  })
  return server
}

/** A tool that no grant of the account opens is as unknown as any other. */
function isVisible({ access }: Tool, identity: Identity | null): boolean {
  return access.neededBy(identity) !== null
}
