import { checkOptionNames } from '@latchkey/options'
import type { Broadcast } from './broadcast.ts'
import { createBroadcastReaders } from './broadcast-readers.ts'

/**
 * Gives a broadcast within one process: for tests, and for services that have no second one.
 *
 * @param options `unreadAtMost`: how many messages are kept for a reader that is busy, 100 unless told.
 *
 * @example
 * import { createMemoryBroadcast } from '@latchkey/store'
 * const broadcast = createMemoryBroadcast()
 * const messages = await broadcast.listen('comments')
 * await broadcast.publish('comments', 'com_1')
 * await messages.next() // { done: false, value: 'com_1' }
 */
export function createMemoryBroadcast(options: { readonly unreadAtMost?: number } = {}): Broadcast {
  const { unreadAtMost = 100 } = checkOptionNames('createMemoryBroadcast', options, { unreadAtMost: true })
  const readers = createBroadcastReaders({ unreadAtMost })
  return {
    async publish(topic, message) {
      readers.check(message)
      readers.tell(topic, message)
    },
    listen: async (topic) => readers.add(topic),
    close: async () => readers.close(),
  }
}
