/** A request to the service that can be sent again. */
export interface OwnRequest {
  readonly request: Request
  readonly body: string | null
  /** Whether the request is a query, which may be sent twice. */
  readonly isQuery: boolean
}

/** Returns a request to the service; throws a `TypeError` for a request to another address. */
export async function readOwnRequest(url: string, input: RequestInfo | URL, init?: RequestInit): Promise<OwnRequest> {
  const request = new Request(input, init)
  // Only a URL that starts with the own one is without its scheme now.
  const rest = request.url.replace(new Request(url).url, '')
  if (!/^([/?#]|$)/.test(rest)) throw new TypeError(`Latchkey's fetch sends to ${url} only.`)
  const body = request.method === 'GET' ? null : await request.text()
  let isQuery = !body
  try {
    isQuery = JSON.parse(body ?? '').query.search(/\bmutation\b/) < 0
  } catch {
    // A body without the text of a query may do anything.
  }
  return { request, body, isQuery }
}
