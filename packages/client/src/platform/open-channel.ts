/** Messages between the tabs of one client. */
export interface Channel<Message> {
  post(message: Message): void
  close(): void
}

/** Opens the channel of this name. In a browser without channels its messages are dropped. */
export function openChannel<Message>(name: string, listener: (message: Message) => void): Channel<Message> {
  const channel = globalThis.BroadcastChannel ? new BroadcastChannel(name) : null
  channel?.addEventListener('message', ({ data }) => listener(data))
  return {
    post: (message) => channel?.postMessage(message),
    close: () => channel?.close(),
  }
}
