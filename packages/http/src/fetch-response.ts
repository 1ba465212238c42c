import { type HttpReply, isBodiless } from './http-reply.ts'

/** Gives the Fetch response of a reply. */
export function toFetchResponse(reply: HttpReply, method: string): Response {
  const headers = new Headers()
  for (const [name, value] of reply.headers) headers.append(name, value)
  headers.delete('content-length')
  if (isBodiless(reply.status)) return new Response(null, { status: reply.status, headers })
  // Bytes, because a text would be given a content type that the handler did not choose.
  const bytes = typeof reply.body === 'string' ? new TextEncoder().encode(reply.body) : new Uint8Array(reply.body ?? [])
  headers.set('content-length', String(bytes.length))
  return new Response(method === 'HEAD' || bytes.length === 0 ? null : bytes, { status: reply.status, headers })
}
