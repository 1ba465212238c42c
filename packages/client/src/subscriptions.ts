import type { AuthCore } from './core/auth-core.ts'
import { backoff, pause } from './platform/time.ts'

interface Message {
  readonly data?: unknown
  readonly payload?: unknown
}

const retryAttempts = 1e9

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
    retryAttempts,
    retry,
    on: { message: refetchIfEnded(auth) },
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
  /** Whether a socket was closed for its credential, and the page has not asked who is there since. */
  let mustCheck: boolean | undefined
  return {
    url: () => new URL(url, globalThis.location?.href).href.replace(/^http/, 'ws'),
    connectionParams: async () => {
      if (mustCheck) await auth.refetch()
      return auth.connectionParams()
    },
    retryAttempts,
    retryWait: retry,
    shouldRetry: () => true,
    on: {
      // Before anything is subscribed with a credential that counts for nothing: the next one has been looked at.
      connected: (socket: WebSocket, payload?: { readonly credential?: string }) => {
        mustCheck = payload?.credential === 'invalid' && !mustCheck
        if (mustCheck) socket.close(4403)
      },
      message: refetchIfEnded(auth),
      closed: ({ code }: CloseEvent) => {
        if (code === 4401) void auth.refetch()
        mustCheck ||= code === 4403
      },
    },
  }
}

/** A refusal before the stream is the end of the stream: graphql-sse would ask again without end. */
async function toStream(response: Response): Promise<Response> {
  const { ok, status } = response
  if (ok || status === 429 || status >= 500) return response
  const result = await response.json().catch(() => ({ errors: [{ message: `HTTP ${status}` }] }))
  const events = `event: next\ndata: ${JSON.stringify(result)}\n\nevent: complete\ndata:\n\n`
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
}

function retry(retries: number): Promise<void> {
  return pause(backoff(retries, 32_000), true)
}

/** Returns a listener of the messages of both libraries. */
function refetchIfEnded(auth: AuthCore<{ readonly id: string }>): (message: Message) => void {
  return ({ data, payload = data }) => {
    const errors = (payload as { readonly errors?: unknown } | undefined)?.errors ?? payload
    if (`${JSON.stringify(errors)}`.includes('"code":"UNAUTHENTICATED"')) void auth.refetch()
  }
}
