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

/** Creates the count of a listener. A reply that is larger than the limit is sent where it is the only one. */
export function createUnreadReplies({ limitBytes, keyOf }: UnreadRepliesOptions): UnreadReplies {
  // In the order in which they were written.
  const held = new Set<HeldReply>()
  const bytesOf = new Map<string, number>()
  let bytes = 0
  const release = (reply: HeldReply): void => {
    if (!held.delete(reply)) return
    bytes -= reply.bytes
    const left = (bytesOf.get(reply.key) ?? 0) - reply.bytes
    if (left > 0) bytesOf.set(reply.key, left)
    else bytesOf.delete(reply.key)
  }
  const next = (): HeldReply | undefined => {
    const key = heaviest(bytesOf)
    for (const reply of held) if (reply.key === key) return reply
    return undefined
  }
  return {
    hold({ bytes: size, peerAddress, cutOff }) {
      const reply = { bytes: size, key: keyOf(peerAddress), cutOff }
      held.add(reply)
      bytes += reply.bytes
      bytesOf.set(reply.key, (bytesOf.get(reply.key) ?? 0) + reply.bytes)
      while (bytes > limitBytes && held.size > 1) {
        const cut = next()
        if (!cut) break
        release(cut)
        cut.cutOff()
      }
      return { release: () => release(reply) }
    },
  }
}

function heaviest(bytesOf: ReadonlyMap<string, number>): string | undefined {
  let found: string | undefined
  let most = 0
  for (const [key, bytes] of bytesOf) {
    if (bytes <= most) continue
    found = key
    most = bytes
  }
  return found
}
