import { checkOptionNames } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Mcp, McpOptions } from './mcp-contract.ts'
import { unauthenticated } from './protocol/challenge.ts'
import { createProtocol } from './protocol/create-protocol.ts'
import { type Message, readMessage } from './protocol/read-message.ts'
import { rejection, writeRejection } from './protocol/rejection.ts'
import { digestOf } from './tools/digest.ts'
import { readTools } from './tools/read-tools.ts'
import type { Tool } from './tools/tool.ts'

/**
 * Creates the tools of a service: each tool is a reviewed GraphQL document, and the rules of the schema decide its calls. It speaks
 * Streamable HTTP of MCP 2026-07-28, and of 2025-06-18 and 2025-11-25 without sessions.
 *
 * @throws TypeError that names the tool: its document has no or several operations, no name, a subscription, or is not valid; the
 * name is not unique; a field tests a secret or is first-party; no published scope grants a permission; variables decide which
 * scopes are needed; a custom scalar has no JSON Schema. Also for an initial scope that is not published.
 *
 * @example
 * import { createMcp } from '@latchkey/mcp'
 * import type { McpOptions } from '@latchkey/mcp'
 * declare const parts: Pick<McpOptions, 'access' | 'publishedScopes' | 'resource'> // of createServer
 * const document = 'query listArticles($first: Int = 10) { articles(first: $first) { id title } }'
 * const mcp = createMcp({
 *   ...parts,
 *   tools: [{ document, description: 'Lists articles, newest first.' }],
 *   initialScopes: ['openid', 'articles:read'],
 * })
 */
export function createMcp<P extends AnyPolicy>(given: McpOptions<P>): Mcp {
  // The names of the policy's type were checked by the compiler.
  const options = given as unknown as McpOptions
  const { access, publishedScopes, resource, tools: sources, initialScopes, scalars = {} } = checkOptions(options)
  const tools = readTools(sources, { access, publishedScopes, scalars })
  const version = digestOf([...tools.values()].map(({ documentHash }) => documentHash).join()).slice(0, 12)
  const serverInfo = { name: options.name ?? new URL(resource).host, version }
  const protocol = createProtocol({ tools, resource, serverInfo })
  const scopesFor = ({ tool }: Message): readonly string[] => {
    const needed = tool === null ? null : tools.get(tool)?.access.neededBy(null)
    return needed && needed.length > 0 ? needed : initialScopes
  }
  return {
    verdicts: [...tools.values()].map(verdictOf),
    async respond(request, call) {
      if (request.method !== 'POST') return writeRejection(notAllowed, null)
      const read = await readMessage(request)
      if (!read.ok) return writeRejection(read.rejection, null)
      const { message } = read
      const { identity, isTokenRefused } = call
      if (!identity) return writeRejection(unauthenticated({ scopes: scopesFor(message), isTokenRefused }), message.id)
      const refused = refuseMessage(message)
      return refused ? writeRejection(refused, message.id) : protocol(request, message, call)
    },
  }
}

const optionNames = {
  access: true,
  publishedScopes: true,
  resource: true,
  name: true,
  tools: true,
  initialScopes: true,
  scalars: true,
} as const

function checkOptions(options: McpOptions): McpOptions {
  const { access, publishedScopes, tools, initialScopes } = checkOptionNames('createMcp', options, optionNames)
  if (typeof access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  if (!Array.isArray(publishedScopes)) throw new TypeError('"publishedScopes" must be a list of scopes')
  if (!Array.isArray(tools) || tools.length === 0) throw new TypeError('"tools" must be a list of at least one tool')
  if (!Array.isArray(initialScopes)) throw new TypeError('"initialScopes" must be a list of scopes')
  const unknown = initialScopes.find((scope) => !publishedScopes.includes(scope))
  if (unknown !== undefined) throw new TypeError(`"initialScopes": "${unknown}" is not published`)
  return options
}

function verdictOf({ name, kind, documentHash, access }: Tool): Mcp['verdicts'][number] {
  const { scopes, owner, stepUp, roles } = access
  return { name, kind, document: `sha256:${documentHash}`, scopes: scopes ?? [], owner, stepUp, roles }
}

const notAllowed = rejection({
  status: 405,
  code: -32600,
  message: 'This method is not allowed. Use POST.',
  headers: [['Allow', 'POST']],
})

/** Rejects batches and streams of all revisions. */
function refuseMessage({ body, method }: Message): ReturnType<typeof rejection> | null {
  if (Array.isArray(body)) return rejection({ status: 400, code: -32600, message: 'Batches are not supported.' })
  if (method === 'subscriptions/listen') return rejection({ status: 404, code: -32601, message: 'Method not found' })
  return null
}
