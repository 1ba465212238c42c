/** An open WebSocket of any library. */
export interface SubscriptionSocket {
  /** The subprotocol that was agreed on; empty: none. */
  readonly protocol: string
  /** Resolves once there is room for more, and at once when the socket has closed. */
  send(text: string): Promise<void>
  close(code: number, reason: string): void
  onMessage(listener: (text: string) => Promise<void>): void
  /** Stops reading what the client sends. Omitted: it cannot be stopped. */
  pause?(): void
  /** Goes on reading. */
  resume?(): void
}
