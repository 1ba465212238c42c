/** A reply that is written, and that its client has not read. */
export interface UnreadReply {
  readonly bytes: number
  readonly peerAddress: string | null
  readonly cutOff: () => void
}

/** The replies that are written, and that their clients have not read. */
export interface UnreadReplies {
  /**
   * Counts a reply until it is released. Where that is too much in all, those of the address that holds most are cut off, the
   * one that has waited longest first.
   */
  hold(reply: UnreadReply): Held
}

export interface Held {
  release(): void
}

export interface UnreadRepliesOptions {
  readonly limitBytes: number
  /** Returns whose a reply is: one client that reads nothing must not have the replies of others cut off. */
  readonly keyOf: (peerAddress: string | null) => string
}

interface HeldReply {
  readonly bytes: number
  readonly key: string
  readonly cutOff: () => void
}

/** What one address has not read. */
interface Share {
  bytes: number
  /** In the order in which they were written. */
  readonly replies: Set<HeldReply>
}

/** What a reply takes beside its body, so that many small ones count as well. */
const bytesBesideBody = 1000

/** Creates the count of a listener. A reply that is larger than the limit is sent where it is the only one. */
export function createUnreadReplies({ limitBytes, keyOf }: UnreadRepliesOptions): UnreadReplies {
  const shares = new Map<string, Share>()
  let bytes = 0
  let count = 0
  const release = (reply: HeldReply): void => {
    const share = shares.get(reply.key)
    if (!share?.replies.delete(reply)) return
    bytes -= reply.bytes
    share.bytes -= reply.bytes
    count--
    if (share.replies.size === 0) shares.delete(reply.key)
  }
  const hold = (reply: HeldReply): void => {
    const share = shares.get(reply.key) ?? { bytes: 0, replies: new Set() }
    shares.set(reply.key, share)
    share.replies.add(reply)
    share.bytes += reply.bytes
    count++
    bytes += reply.bytes
  }
  return {
    hold({ bytes: body, peerAddress, cutOff }) {
      const reply = { bytes: body + bytesBesideBody, key: keyOf(peerAddress), cutOff }
      hold(reply)
      while (bytes > limitBytes && count > 1) {
        const [cut] = heaviest(shares)?.replies ?? []
        if (!cut) break
        release(cut)
        cut.cutOff()
      }
      return { release: () => release(reply) }
    },
  }
}

function heaviest(shares: ReadonlyMap<string, Share>): Share | undefined {
  let found: Share | undefined
  for (const share of shares.values()) if (!found || share.bytes > found.bytes) found = share
  return found
}
