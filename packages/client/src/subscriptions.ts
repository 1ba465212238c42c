import type { AuthCore } from './core/auth-core.ts'
import { backoff, pause } from './platform/time.ts'

/**
 * Returns the options of `createClient` of graphql-sse: streams show who is signed in, and go on after a renewal.
 *
 * @example
 * import { createAuthClient } from '@latchkey/client'
 * import { sseOptions } from '@latchkey/client/subscriptions'
 * import { createClient } from 'graphql-sse'
 *
 * const auth = createAuthClient()
 * export const streams = createClient(sseOptions(auth))
 */
export function sseOptions(
  auth: AuthCore<{ readonly id: string }>,
  { url = '/graphql/stream' }: { readonly url?: string } = {},
): {
  url: string
  fetchFn: typeof globalThis.fetch
  retryAttempts: number
  retry(retries: number): Promise<void>
  on: { message(message: { readonly data: unknown }): void }
} {
  return {
    url,
    fetchFn: async (input, init) => toStream(await auth.fetch(input, init)),
    retryAttempts: Number.POSITIVE_INFINITY,
    retry: waitToReconnect,
    on: { message: ({ data }) => refetchIfEnded(auth, data) },
  }
}

/**
 * Returns the options of `createClient` of graphql-ws: sockets show who is signed in, and go on after a renewal.
 *
 * @example
 * import { createAuthClient } from '@latchkey/client'
 * import { wsOptions } from '@latchkey/client/subscriptions'
 * import { createClient } from 'graphql-ws'
 *
 * const auth = createAuthClient()
 * export const sockets = createClient(wsOptions(auth))
 */
export function wsOptions(
  auth: AuthCore<{ readonly id: string }>,
  { url = '/graphql' }: { readonly url?: string } = {},
): {
  url(): string
  connectionParams(): Promise<Record<string, string>>
  retryAttempts: number
  retryWait(retries: number): Promise<void>
  shouldRetry(): boolean
  on: {
    connected(socket: unknown, payload: unknown): void
    message(message: { readonly type: unknown; readonly payload?: unknown }): void
    closed(event: unknown): void
  }
} {
  return {
    url: () => new URL(url, globalThis.location?.href).href.replace(/^http/, 'ws'),
    connectionParams: auth.connectionParams,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: waitToReconnect,
    shouldRetry: () => true,
    on: {
      connected: (socket, payload) => void reconnectIfInvalid(auth, socket as WebSocket, payload),
      message: ({ payload }) => refetchIfEnded(auth, payload),
      closed: (event) => {
        if ((event as CloseEvent).code === 4401) void auth.refetch()
      },
    },
  }
}

/** A refusal before the stream is the end of the stream: graphql-sse would ask again without end. */
async function toStream(response: Response): Promise<Response> {
  const { ok, status } = response
  if (ok || status === 429 || status >= 500) return response
  const result = await response.json().catch(() => ({ errors: [{ message: `The service answered ${status}.` }] }))
  const events = `event: next\ndata: ${JSON.stringify(result)}\n\nevent: complete\ndata:\n\n`
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
}

function waitToReconnect(retries: number): Promise<void> {
  return pause(backoff(0) * 2 ** Math.min(retries, 7), null, true)
}

function refetchIfEnded(auth: AuthCore<{ readonly id: string }>, result: unknown): void {
  const { errors = result } = (result ?? {}) as { readonly errors?: unknown }
  if (JSON.stringify(errors ?? '').includes('"code":"UNAUTHENTICATED"')) void auth.refetch()
}

/** The socket was opened with a credential that counts for nothing, and somebody is signed in all the same. */
async function reconnectIfInvalid(
  auth: AuthCore<{ readonly id: string }>,
  socket: WebSocket,
  payload: unknown,
): Promise<void> {
  if ((payload as { readonly credential?: string } | undefined)?.credential !== 'invalid') return
  if ((await auth.refetch()).status === 'signed-in') socket.close(4403)
}
