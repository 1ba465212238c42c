import type { HttpReply } from '@latchkey/http'
import { createReplyHeaders } from '@latchkey/http/internal'

/** The headers that the endpoint decides for each reply, or that belong to a single one. */
const decided: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'allow', 'cache-control', 'content-length', 'content-type', 'retry-after'],
  ...['set-cookie', 'vary', 'www-authenticate'],
])

/**
 * Returns the headers of the option as they are sent with every reply. `X-Content-Type-Options` is left out, because every
 * reply has it.
 *
 * @throws TypeError naming `headers` when it is no list of headers, or one of them is not for every reply.
 */
export function readFixedHeaders(given: HttpReply['headers'] = []): HttpReply['headers'] {
  const queue = createReplyHeaders()
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
  return new TypeError('"headers" must be a list of [name, value] that fit every reply', { cause })
}
