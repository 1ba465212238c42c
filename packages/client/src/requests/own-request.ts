/** A request to the service that can be sent again. */
export interface OwnRequest {
  readonly request: Request
  readonly body: ArrayBuffer | null
  /** Whether it only reads, so that it may be sent twice. */
  readonly isQuery: boolean
}

/** Returns a request to the service; throws a `TypeError` for one to anybody else. */
export async function readOwnRequest(
  url: string,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<OwnRequest> {
  const request = new Request(input, init)
  if (!isBelow(request.url, toAbsolute(url))) throw new TypeError(`Latchkey's fetch sends to ${url} only.`)
  if (request.method === 'GET') return { request, body: null, isQuery: true }
  const body = await request.arrayBuffer()
  return { request, body, isQuery: isQuery(new TextDecoder().decode(body)) }
}

/** Returns a URL of the service as seen from the page. */
export function toAbsolute(url: string): string {
  return new URL(url, globalThis.location?.href).href
}

function isBelow(url: string, base: string): boolean {
  const [path = ''] = url.split('#')
  return path.startsWith(base) && ['', '?', '/'].includes(path.charAt(base.length))
}

function isQuery(body: string): boolean {
  try {
    const { query } = JSON.parse(body)
    return typeof query === 'string' && !/\bmutation\b/.test(query)
  } catch {
    return false
  }
}
