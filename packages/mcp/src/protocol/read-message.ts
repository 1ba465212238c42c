import { type HttpRequest, isHttpError } from '@latchkey/http'
import { type Rejection, rejection } from './rejection.ts'

const bodyBytes = 65_536

/** The body of a request. */
export interface Message {
  readonly text: string
  /** `undefined`: it is no JSON. */
  readonly body: unknown
  /** `null`: the id is missing or malformed. */
  readonly id: string | number | null
  readonly method: string | null
  /** The tool that `tools/call` names. */
  readonly tool: string | null
}

/** Reads the body of a request, at most 64 KiB. */
export async function readMessage(
  request: HttpRequest,
): Promise<{ readonly ok: true; readonly message: Message } | { readonly ok: false; readonly rejection: Rejection }> {
  try {
    return { ok: true, message: parseMessage(await request.body(bodyBytes)) }
  } catch (error) {
    if (!isHttpError(error) || error.status >= 500) throw error
    const { status } = error
    return { ok: false, rejection: rejection({ status, code: -32600, message: messages[status] ?? unread }) }
  }
}

const unread = 'The request body could not be read.'
const messages: Readonly<Record<number, string>> = {
  413: 'The request body is too large.',
  429: 'Too many requests from this address. Try again later.',
}

function parseMessage(text: string): Message {
  const body = parseJson(text)
  const id = memberOf(body, 'id')
  const method = memberOf(body, 'method')
  const name = method === 'tools/call' ? memberOf(memberOf(body, 'params'), 'name') : null
  return {
    text,
    body,
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    method: typeof method === 'string' ? method : null,
    tool: typeof name === 'string' ? name : null,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
