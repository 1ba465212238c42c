import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { StreamLimits } from '../stream-limits.ts'

/** Serves subscriptions over WebSockets. */
export interface SocketHandler {
  readonly limits: StreamLimits
  /**
   * Accepts or rejects a handshake by its origin and the number of open sockets. An accepted handshake must be opened or
   * abandoned.
   */
  accept(request: HttpRequest): Promise<
    | { readonly ok: false; readonly response: HttpResponse }
    | {
        readonly ok: true
        /** Takes an open WebSocket of any library, and returns the function to call after it has closed. */
        open(socket: {
          /** The agreed subprotocol; may be empty. */
          readonly protocol: string
          /** Resolves once there is room for more data, and at once if the socket has closed. */
          send(text: string): Promise<void>
          close(code: number, reason: string): void
          onMessage(listener: (text: string) => Promise<void>): void
          /** Stops reading from the client. Omitted: reading cannot be stopped. */
          pause?(): void
          /** Continues reading. */
          resume?(): void
        }): (code: number, reason: string) => void
        abandon(): void
      }
  >
  /** Closes all sockets with 1001, and refuses new sockets. */
  close(): void
}

export type Handshake = Awaited<ReturnType<SocketHandler['accept']>>

/** An open WebSocket of any library. */
export type SubscriptionSocket = Parameters<Extract<Handshake, { readonly ok: true }>['open']>[0]
