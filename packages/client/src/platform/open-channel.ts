/** What the tabs of one origin tell each other. */
export interface Channel<Message> {
  post(message: Message): void
  close(): void
}

/** Opens the channel of this name; without channels nobody hears anything. */
export function openChannel<Message>(name: string, listener: (message: Message) => void): Channel<Message> {
  const channel = globalThis.BroadcastChannel ? new BroadcastChannel(name) : null
  channel?.addEventListener('message', ({ data }) => listener(data))
  return {
    post: (message) => channel?.postMessage(message),
    close: () => channel?.close(),
  }
}
