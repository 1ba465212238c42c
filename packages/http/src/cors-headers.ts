import type { HttpResponse } from './http-response.ts'

// Wildcards do not cover `Authorization` (Fetch, "CORS-preflight fetch").
const sent = [
  ...['Authorization', 'Content-Type', 'DPoP', 'Last-Event-ID', 'X-CSRF-Token'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace', 'X-Request-Id'],
  ...['apollo-require-preflight', 'apollographql-client-name', 'apollographql-client-version'],
]
const read = [
  ...['WWW-Authenticate', 'DPoP-Nonce', 'Retry-After', 'X-Request-Id', 'X-CSRF-Token', 'Date'],
  ...['RateLimit', 'RateLimit-Policy', 'Latchkey-Credential'],
]

/** @throws TypeError naming the option that is not valid. */
export function preflightHeadersOf(
  further: readonly string[] | undefined,
  maxAgeSeconds = 7_200,
): HttpResponse['headers'] {
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 0 || maxAgeSeconds > 86_400) {
    throw new TypeError('"maxAgeSeconds" must be a whole number of seconds from 0 to 86400')
  }
  return [
    ['Access-Control-Allow-Methods', 'GET, POST'],
    ['Access-Control-Allow-Headers', join(sent, further, 'allowedHeaders')],
    ['Access-Control-Max-Age', String(maxAgeSeconds)],
  ]
}

/** @throws TypeError naming the option that is not valid. */
export function exposedOf(further: readonly string[] | undefined): readonly [name: string, value: string] {
  return ['Access-Control-Expose-Headers', join(read, further, 'exposedHeaders')]
}

function join(own: readonly string[], further: readonly string[] = [], option: string): string {
  if (!Array.isArray(further) || !further.every(isHeaderName)) {
    throw new TypeError(`"${option}": each is the name of one header, like X-Client-Version`)
  }
  const refused = further.find((name) => neverShared.test(name))
  if (refused !== undefined) throw new TypeError(`"${option}" must not name ${refused}`)
  const names = new Map<string, string>()
  for (const name of [...own, ...further]) if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
  return [...names.values()].join(', ')
}

/** A token (RFC 9110 §5.6.2). */
const isHeaderName = (name: unknown): boolean => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)

/** The browser's credentials, the headers of proxies, and the wildcard, which names all of them. */
const neverShared = /^(?:\*|cookie|set-cookie|host|forwarded|x-forwarded-.*)$/i
