import type { HttpResponse } from '@latchkey/http'
import { createResponseHeaders } from '@latchkey/http/internal'

/** Headers that the endpoint decides for each response, or that belong to a single response. */
const decided: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'allow', 'cache-control', 'content-length', 'content-type', 'retry-after'],
  ...['set-cookie', 'vary', 'www-authenticate'],
])

/**
 * Returns the headers of the option as sent with every response, without `X-Content-Type-Options`, which every response
 * has.
 *
 * @throws TypeError naming `headers` if it is not a list of headers, or if a header cannot be sent with every response.
 */
export function readFixedHeaders(given: HttpResponse['headers'] = []): HttpResponse['headers'] {
  const queue = createResponseHeaders()
  if (!Array.isArray(given)) throw unusable()
  for (const pair of given) {
    if (!isPair(pair) || decided.has(pair[0].toLowerCase())) throw unusable()
    try {
      queue.setHeader(...pair)
    } catch (cause) {
      throw unusable(cause)
    }
  }
  return queue.headers().filter(([name]) => name.toLowerCase() !== 'x-content-type-options')
}

function isPair(pair: unknown): pair is readonly [name: string, value: string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
}

function unusable(cause?: unknown): TypeError {
  return new TypeError('"headers" must be a list of [name, value] that fit every response', { cause })
}
