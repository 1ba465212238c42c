import type { HttpResponse } from '@latchkey/http'

/** A response without a result. */
export interface Rejection {
  readonly status: number
  readonly headers: HttpResponse['headers']
  readonly error: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> }
}

/** Creates a rejection; its JSON-RPC code is the status unless one is given. */
export function rejection({
  status,
  message,
  code = status,
  data,
  headers = [],
}: {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly headers?: HttpResponse['headers']
}): Rejection {
  return { status, headers, error: { code, message, ...(data && { data }) } }
}

/** The headers of every response. Caches do not store it, and browsers do not guess its type. */
const ofEveryResponse = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** Writes a rejection as an error of JSON-RPC. */
export function writeRejection({ status, headers, error }: Rejection, id: string | number | null): HttpResponse {
  return { status, headers: [...ofEveryResponse, ...headers], body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/** Returns the response of the protocol with the headers of every response. */
export async function writeResponse(response: Response): Promise<HttpResponse> {
  const text = await response.text()
  const allow = response.headers.get('allow')
  const headers = [
    ...(text === '' ? ofEveryResponse.slice(1) : ofEveryResponse),
    ...(allow ? [['Allow', allow] as const] : []),
  ]
  return { status: response.status, headers, body: text === '' ? null : text }
}
