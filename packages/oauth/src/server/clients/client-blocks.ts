import type { DocumentStore } from '@latchkey/store'
import { createCollection, defineStoredShape, documentId, isStoredCount, isStoredText } from '@latchkey/store/internal'
import { hostOfClientId } from './client-host.ts'

/** Blocked hosts and ids of clients. A block takes precedence over the options. */
export interface ClientBlocks {
  /** Whether an id or its host is blocked. A blocked host is blocked at every port. */
  isBlocked(id: string): Promise<boolean>
  /** Blocks a host or an id; `false`: it was blocked before. */
  block(blocked: string, at: number): Promise<boolean>
  /** Removes a block; `false`: there is no such block. */
  unblock(blocked: string): Promise<boolean>
}

interface BlockValue {
  readonly blocked: string
  /** Epoch milliseconds. */
  readonly blockedAt: number
}

const shape = defineStoredShape<BlockValue>({
  name: 'block of clients',
  members: { blocked: isStoredText, blockedAt: isStoredCount },
})

export function createClientBlocks(documents: DocumentStore, storedVersion: () => number): ClientBlocks {
  const blocks = createCollection({ documents, name: 'metadata-client-blocks', shape, storedVersion })
  return {
    async isBlocked(id) {
      const named = [id, new URL(id).hostname]
      const found = await Promise.all(named.map((blocked) => blocks.get(documentId(blocked))))
      return found.some((block) => block !== null)
    },
    block: async (blocked, blockedAt) =>
      (await blocks.insert(documentId(blocked), null, { blocked, blockedAt })) !== null,
    unblock: (blocked) => blocks.remove(documentId(blocked)),
  }
}

/** The hosts of ids. A block of any other text, for example a pattern, has no effect. */
const hostOfIds = /^(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+|\[[\da-f:]+\])$/

/** Whether a text can be blocked: a host as URLs spell it, without a port, or the id of a client. */
export function canBeBlocked(text: unknown): text is string {
  if (typeof text !== 'string') return false
  if (hostOfClientId(text) === null) return hostOfIds.test(text) && URL.parse(`https://${text}/`)?.hostname === text
  const { href, hostname, pathname, username, password } = new URL(text)
  const isPlain = `${username}${password}` === '' && !/[?#]/.test(text) && pathname !== '/'
  return text.length <= 512 && href === text && hostOfIds.test(hostname) && isPlain
}
