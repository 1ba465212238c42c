import { createClient as createStreamClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { Visitor } from './visitor.ts'

export const transports = ['server-sent events', 'a WebSocket'] as const
export type Transport = (typeof transports)[number]

/** What a subscriber heard so far. */
export interface Heard {
  readonly data: unknown[]
  readonly codes: string[]
  isOpen: boolean
  ended: boolean
  /** The code and the reason with which a WebSocket was closed before its stream was complete. */
  closedWith: string | null
}

interface Result {
  readonly data?: unknown
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[] | undefined
}

/** Subscribes as a visitor, and waits until the service has answered that it streams, or why not. */
export async function subscribe(url: string, transport: Transport, visitor: Visitor, query: string): Promise<Heard> {
  const heard: Heard = { data: [], codes: [], isOpen: false, ended: false, closedWith: null }
  const note = (errors: Result['errors'] = []): void =>
    void heard.codes.push(...errors.map(({ extensions }) => String(extensions?.code)))
  const end = (): void => void Object.assign(heard, { ended: true })
  const opened = (): void => void Object.assign(heard, { isOpen: true })
  const sink = {
    next({ data, errors }: Result) {
      if (data) heard.data.push(data)
      note(errors)
    },
    complete: end,
    async error(error: unknown) {
      if (Array.isArray(error)) note(error)
      const { response, code, reason } = error as { readonly response?: Response } & Partial<CloseEvent>
      if (code !== undefined) heard.closedWith = `${code} ${reason}`
      if (response) note(((await response.json()) as Result).errors)
      end()
    },
  }
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { ...(cookie && { cookie }), ...(visitor.bearer && { authorization: `Bearer ${visitor.bearer}` }) }
  const stop =
    transport === 'a WebSocket'
      ? createSocketClient({
          url: `${url.replace('http', 'ws')}/graphql`,
          retryAttempts: 0,
          on: { connected: opened },
          webSocketImpl: class extends WebSocket {
            constructor(address: string, protocols: string[]) {
              super(address, protocols, { headers })
            }
          },
        }).subscribe({ query }, sink)
      : createStreamClient({
          url: `${url}/graphql/stream`,
          retryAttempts: 0,
          headers,
          on: { connected: opened },
        }).subscribe({ query }, sink)
  onTestFinished(stop)
  await until(() => heard.isOpen || heard.ended)
  return heard
}

export function until(condition: () => boolean, timeout = 50_000): Promise<boolean> {
  return vi.waitUntil(condition, { timeout, interval: 20 })
}
