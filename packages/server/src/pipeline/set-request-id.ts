import type { HttpReply } from '@latchkey/http'

/** Returns the reply with the id of its request, in place of one that the application has set. */
export function setRequestId(reply: HttpReply, id: string): HttpReply {
  const headers = reply.headers.filter(([name]) => !isRequestId(name))
  headers.push(['X-Request-Id', id])
  return { ...reply, headers }
}

function isRequestId(name: string): boolean {
  return name.length === 12 && name.toLowerCase() === 'x-request-id'
}
