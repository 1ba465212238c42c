import type { HttpResponse } from '@latchkey/http'
import type { Mcp } from '../mcp-contract.ts'
import type { Tool } from '../tools/tool.ts'
import { type EndpointError, toRejection } from './challenge.ts'
import { type Rejection, rejection } from './rejection.ts'

/** One request at the resource, as the service around it knows its sender. */
export type McpCall = Parameters<Mcp['respond']>[1]

/** The result of a tool. No interface: the protocol takes objects with further members. */
export type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: true
  readonly _meta?: Record<string, unknown>
}

export type CallOutcome =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly rejection: Rejection }

/** The key of `_meta` under which a result has the errors of GraphQL. */
const errorsKey = 'io.latchkey/errors'

/** Counts a call, executes the operation of its tool, and reports what came of it. */
export async function callTool(tool: Tool, given: unknown, call: McpCall): Promise<CallOutcome> {
  const outcome = await decideCall(tool, given, call)
  const { name, kind, documentHash } = tool
  const failed = outcome.ok && outcome.result.isError ? 'failed' : 'done'
  await call.called({ tool: name, kind, documentHash, outcome: outcome.ok ? failed : 'refused' })
  return outcome
}

async function decideCall(tool: Tool, given: unknown, call: McpCall): Promise<CallOutcome> {
  const limit = await call.limit()
  if (limit) return { ok: false, rejection: tooMany(limit) }
  const variables = readArguments(tool, given)
  if (!variables) return { ok: true, result: errorResult([badArguments]) }
  const { document: query, name: operationName, kind, documentHash } = tool
  const response = await call.execute({ query, operationName, variables, kind, documentHash })
  const { data, errors } = readResponse(response)
  const refused = toRejection(response, errors)
  if (refused) return { ok: false, rejection: refused }
  return { ok: true, result: errors.length > 0 ? errorResult(errors, data) : dataResult(data) }
}

function tooMany({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): Rejection {
  return rejection({
    status: 429,
    message: 'Too many calls. Try again later.',
    data: { code: 'RATE_LIMITED', retryAfterSeconds },
    headers: [['Retry-After', String(retryAfterSeconds)]],
  })
}

const badArguments: EndpointError = {
  message: 'The arguments must be an object with the properties of the input schema and no others.',
  extensions: { code: 'BAD_USER_INPUT' },
}

/** `null`: the tool has other arguments. */
function readArguments({ variables }: Tool, given: unknown = {}): Readonly<Record<string, unknown>> | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  return Object.keys(given).every((name) => variables.has(name)) ? { ...given } : null
}

interface EndpointResponse {
  readonly data: Record<string, unknown> | null
  readonly errors: readonly EndpointError[]
}

function readResponse({ body }: HttpResponse): EndpointResponse {
  if (typeof body !== 'string') throw new TypeError('the endpoint must respond with a text')
  const { data = null, errors = [] } = JSON.parse(body) as Partial<EndpointResponse>
  return { data, errors }
}

function dataResult(data: EndpointResponse['data']): ToolResult {
  const structuredContent = data ?? {}
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
}

/** A mutation may have had an effect: its data is kept. */
function errorResult(errors: readonly EndpointError[], data: EndpointResponse['data'] = null): ToolResult {
  const text = errors.map(({ message }) => message).join('\n')
  return {
    isError: true,
    content: [{ type: 'text', text }],
    ...(data && { structuredContent: data }),
    _meta: { [errorsKey]: errors },
  }
}
