import { createClient as createStreamClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { cookie, type StreamingService } from './streaming-service.ts'

export const transports = ['sse', 'ws'] as const
export type Transport = (typeof transports)[number]

export interface Asking {
  readonly query: string
  readonly variables?: Record<string, unknown>
  readonly extensions?: Record<string, unknown>
  readonly token?: string
  readonly session?: string
  readonly origin?: string
}

/** What a client has received so far. */
export interface Heard {
  readonly results: unknown[]
  /** The codes of the errors that it received, in results or instead of them. */
  readonly codes: string[]
  readonly messages: string[]
  /** `null` while the stream is open. */
  ended: null | 'completed' | 'refused' | 'broken off'
  /** The status before an SSE stream opened, or the code that closed the socket. */
  status: number | null
  connected: boolean
  stop(): void
}

interface Failure {
  readonly errors?:
    | readonly { readonly message?: string; readonly extensions?: Readonly<Record<string, unknown>> }[]
    | undefined
}

/** Subscribes with the client that the authors of the protocol publish. It does not reconnect. */
export function subscribe({ port, url }: StreamingService, transport: Transport, asking: Asking): Heard {
  const { query, variables = {}, extensions = {}, token, session, origin } = asking
  const heard: Heard = {
    results: [],
    codes: [],
    messages: [],
    ended: null,
    status: null,
    connected: false,
    stop: () => undefined,
  }
  const note = ({ errors = [] }: Failure): void => {
    heard.codes.push(...errors.map(({ extensions }) => String(extensions?.code)))
    heard.messages.push(...errors.map(({ message }) => String(message)))
  }
  const authorization = token ? { authorization: `Bearer ${token}` } : {}
  const headers = { ...(session && { cookie: `${cookie.name}=${session}` }), ...(origin && { origin }) }
  const sink = {
    next(result: Failure) {
      heard.results.push(result)
      note(result)
    },
    complete() {
      heard.ended ??= 'completed'
    },
  }
  const connected = () => Object.assign(heard, { connected: true })
  const stop =
    transport === 'sse'
      ? createStreamClient({
          url,
          retryAttempts: 0,
          headers: { ...authorization, ...headers },
          on: { connected },
        }).subscribe(
          { query, variables, extensions },
          {
            ...sink,
            async error(error) {
              const { response } = error as { response?: Response }
              heard.status = response?.status ?? null
              if (response) note((await response.json()) as Failure)
              heard.ended = response ? 'refused' : 'broken off'
            },
          },
        )
      : createSocketClient({
          url: `ws://127.0.0.1:${port}/socket`,
          retryAttempts: 0,
          connectionParams: authorization,
          on: { connected, closed: (event) => Object.assign(heard, { status: (event as CloseEvent).code }) },
          webSocketImpl: class extends WebSocket {
            constructor(address: string, protocols: string[]) {
              super(address, protocols, { headers })
            }
          },
        }).subscribe(
          { query, variables, extensions },
          {
            ...sink,
            error(error) {
              if (Array.isArray(error)) note({ errors: error })
              heard.ended = Array.isArray(error) ? 'refused' : 'broken off'
            },
          },
        )
  heard.stop = stop
  onTestFinished(stop)
  return heard
}

/** Subscribes and waits until the source is open. */
export async function subscribed(service: StreamingService, transport: Transport, asking: Asking): Promise<Heard> {
  const before = service.sources()
  const heard = subscribe(service, transport, asking)
  await vi.waitFor(() => {
    if (service.sources() <= before) throw new Error(`no source: ${JSON.stringify(heard)}`)
  }, patience)
  return heard
}

/** For `vi.waitFor`: a busy machine is slow. */
export const patience = { timeout: 30_000, interval: 10 }

export const ended = (heard: Heard): Promise<Heard> =>
  vi.waitFor(() => {
    if (heard.ended === null) throw new Error(`still open: ${JSON.stringify(heard)}`)
    return heard
  }, patience)
