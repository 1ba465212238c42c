import type { IncomingMessage, ServerResponse } from 'node:http'
import { replyToFailure, reportFailure } from './failure.ts'
import type { HttpHandler } from './http-handler.ts'
import { sendReply } from './node-reply.ts'
import { fromNodeRequest } from './node-request.ts'

export { fromNodeRequest } from './node-request.ts'
export { fromUpgradeRequest } from './node-upgrade.ts'

export interface NodeListenerOptions {
  /** Is given what the handler throws while the client gets a bare 500. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * Gives a listener for `node:http` and everything that is built on it: Express, Connect, Koa, Fastify.
 *
 * It reads the body itself: mount it before body parsers such as `express.json()`. What the handler throws becomes a
 * reply without a body: an `HttpError` its own status, everything else 500.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { createHttpHandler } from '@latchkey/http'
 * import { toNodeListener } from '@latchkey/http/node'
 * const handler = createHttpHandler(async () => ({ status: 200, headers: [], body: 'hello' }))
 * createServer(toNodeListener(handler))
 */
export function toNodeListener(
  handler: Pick<HttpHandler, 'handle'>,
  options: NodeListenerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (message, response) => {
    void answer(handler, options, message, response)
  }
}

async function answer(
  handler: Pick<HttpHandler, 'handle'>,
  { onError }: NodeListenerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const reply = await handler.handle(fromNodeRequest(message, response))
    sendReply(message, response, reply, (error) => reportFailure(error, onError))
  } catch (error) {
    // Half a reply of somebody else's cannot be taken back, only cut off.
    if (response.headersSent) response.destroy()
    else sendReply(message, response, replyToFailure(error))
    reportFailure(error, onError)
  }
}
