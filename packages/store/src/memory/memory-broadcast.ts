import { checkOptionNames } from '@latchkey/core/internal'
import type { Broadcast } from '../broadcast.ts'
import { createBroadcastReaders } from '../broadcast-readers.ts'

/**
 * Creates a broadcast within one process, for tests and for services of a single process.
 *
 * @param options `unreadAtMost`: how many unread messages are kept for each reader. Default: 100.
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
