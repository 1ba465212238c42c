import type { HttpResponse } from '@latchkey/http'

/** Returns the response with the id of its request, in place of one that the application has set. */
export function setRequestId(response: HttpResponse, id: string): HttpResponse {
  const headers: (readonly [string, string])[] = []
  for (const header of response.headers) {
    const [name] = header
    if (name.length !== 12 || name.toLowerCase() !== 'x-request-id') headers.push(header)
  }
  headers.push(['X-Request-Id', id])
  return { ...response, headers }
}
