import { type BodyCollector, createBodyCollector } from '../body-text.ts'
import { HttpError } from '../errors.ts'
import { readCookies } from '../headers/cookie-header.ts'
import { LateMap } from '../headers/late-map.ts'
import type { HttpRequest } from '../http-request.ts'

/**
 * Converts a Fetch request to the form of the handlers and readers of this package, for a route of your own in Hono,
 * Next.js, Bun, Deno or Workers. Headers and body are read on first use.
 *
 * @param peerAddress the address at the other end of the connection, which Fetch does not have.
 * @default null
 * @param context the context of the platform, for its `waitUntil`.
 * @example
 * import { createForgeryCheck, fromFetchRequest } from '@latchkey/http'
 * const secrets = [{ id: '2026-01', bytes: crypto.getRandomValues(new Uint8Array(32)) }] as const
 * const forgery = createForgeryCheck({ origins: ['https://example.com'], secrets })
 * const isOurs = (request: Request) => forgery.checkOrigin(fromFetchRequest(request)).ok
 */
export function fromFetchRequest(
  request: Request,
  peerAddress: string | null = null,
  context: Pick<HttpRequest, 'waitUntil'> = {},
): HttpRequest {
  const { pathname, search, host } = new URL(request.url)
  return {
    method: request.method,
    target: pathname + search,
    // Some platforms make every URL from the address that they listen on, whatever `Host` says.
    authority: request.headers.has('host') ? null : host,
    headers: new LateMap(() => new Map(request.headers)),
    cookies: new LateMap(() => readCookies(request.headers.get('cookie'))),
    peerAddress,
    signal: request.signal,
    // Called on its own object, which platforms require.
    ...(context.waitUntil && { waitUntil: (work) => context.waitUntil?.(work) }),
    body: (limitBytes) => readFetchBody(request, limitBytes),
  }
}

async function readFetchBody(request: Request, limitBytes: number): Promise<string> {
  const collector = createBodyCollector(limitBytes, request.headers.get('content-length'))
  if (request.bodyUsed || request.body?.locked) {
    throw new HttpError(
      'HTTP_BODY_ALREADY_READ',
      'the body was read before: hand the Request over unread, or a clone of it',
    )
  }
  if (request.body) await collect(request.body.getReader(), collector)
  return collector.text()
}

async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, collector: BodyCollector): Promise<void> {
  try {
    for (let chunk = await readChunk(reader); !chunk.done; chunk = await readChunk(reader)) collector.add(chunk.value)
  } catch (error) {
    // Not awaited: a source that hangs would hold back the refusal.
    void reader.cancel().catch(() => undefined)
    throw error
  }
}

/** @throws HttpError `HTTP_BODY_ABORTED` */
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): ReturnType<typeof reader.read> {
  try {
    return await reader.read()
  } catch (cause) {
    throw new HttpError('HTTP_BODY_ABORTED', 'the body ended before it was complete', { cause })
  }
}
