import { checkOptionNames } from '@latchkey/core/internal'
import { StoreError } from './errors.ts'

interface Reader {
  take(message: string): void
  end(error: StoreError | null): void
}

const messageBytesAtMost = 2_000

function checkMessage(message: string): void {
  if (new TextEncoder().encode(message).length <= messageBytesAtMost) return
  throw new TypeError(`"message" must have at most ${messageBytesAtMost} bytes: send an id, and read the rest`)
}

/**
 * Creates the listeners of this process, for a `Broadcast` on another carrier.
 *
 * @param options `unreadAtMost`: how many unread messages are kept for each reader.
 *
 * @example
 * import { createBroadcastReaders } from '@latchkey/store'
 * const readers = createBroadcastReaders({ unreadAtMost: 100 })
 * const messages = readers.add('comments')
 * readers.tell('comments', 'com_1') // when the carrier delivers it
 * await messages.next() // { done: false, value: 'com_1' }
 */
export function createBroadcastReaders(options: { readonly unreadAtMost: number }): {
  /** The number of listeners. */
  readonly size: number
  /** @throws TypeError when a message has more than 2000 bytes. */
  check(message: string): void
  /** Delivers a message to all listeners of its topic. */
  tell(topic: string, message: string): void
  add(topic: string): AsyncIterableIterator<string>
  /** Throws the error in all iterations, because messages may have been missed. */
  fail(error: StoreError): void
  /** Finishes all iterations. */
  close(): void
} {
  const { unreadAtMost } = checkOptionNames('createBroadcastReaders', options, { unreadAtMost: true })
  const topics = new Map<string, Set<Reader>>()
  let size = 0
  const all = (): Reader[] => [...topics.values()].flatMap((readers) => [...readers])
  const remove = (topic: string, reader: Reader): void => {
    const readers = topics.get(topic)
    if (!readers?.delete(reader)) return
    size--
    if (readers.size === 0) topics.delete(topic)
  }
  return {
    get size() {
      return size
    },
    check: checkMessage,
    tell(topic, message) {
      for (const reader of [...(topics.get(topic) ?? [])]) reader.take(message)
    },
    add(topic) {
      const { reader, messages } = createReader(unreadAtMost, () => remove(topic, reader))
      const readers = topics.get(topic) ?? new Set()
      topics.set(topic, readers.add(reader))
      size++
      return messages
    },
    fail(error) {
      for (const reader of all()) reader.end(error)
    },
    close() {
      for (const reader of all()) reader.end(null)
    },
  }
}

function createReader(unreadAtMost: number, onOver: () => void) {
  const unread: string[] = []
  let over: { readonly error: StoreError | null } | null = null
  /** Calls of `next` that wait, in their order. */
  let waiting: (() => void)[] = []
  const wakeAll = (): void => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  const reader: Reader = {
    take(message) {
      if (unread.length < unreadAtMost) unread.push(message)
      else reader.end(new StoreError('STORE_UNAVAILABLE', `more than ${unreadAtMost} messages were not read`))
      wakeAll()
    },
    end(error) {
      over ??= { error }
      unread.length = 0
      onOver()
      wakeAll()
    },
  }
  const messages: AsyncIterableIterator<string> = {
    async next() {
      while (unread.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
      const message = unread.shift()
      if (message !== undefined) return { done: false, value: message }
      if (over?.error) throw over.error
      return { done: true, value: undefined }
    },
    async return() {
      reader.end(null)
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => messages,
  }
  return { reader, messages }
}
