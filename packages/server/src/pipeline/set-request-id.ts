import type { HttpReply } from '@latchkey/http'

/** Returns the reply with the id of its request, in place of one that the application has set. */
export function setRequestId(reply: HttpReply, id: string): HttpReply {
  const headers: (readonly [string, string])[] = []
  for (const header of reply.headers) {
    const [name] = header
    if (name.length !== 12 || name.toLowerCase() !== 'x-request-id') headers.push(header)
  }
  headers.push(['X-Request-Id', id])
  return { ...reply, headers }
}
