/** Memory that a client holds: an unfinished body, or an unread reply. */
export interface HeldPart {
  readonly bytes: number
  readonly peerAddress: string | null
  readonly cutOff: () => void
}

/** The memory that all clients hold together. */
export interface HeldBytes {
  /**
   * Counts a part until it is released. If that is too much in total, parts of the address that holds most are cut off, the
   * oldest one first.
   */
  hold(part: HeldPart): Held
}

export interface Held {
  release(): void
}

export interface HeldBytesOptions {
  readonly limitBytes: number
  /** Returns whose a part is: a client that holds much must not have the parts of others cut off. */
  readonly keyOf: (peerAddress: string | null) => string
}

interface CountedPart {
  readonly bytes: number
  readonly key: string
  readonly cutOff: () => void
}

/** The memory that one address holds. */
interface Share {
  bytes: number
  /** In the order in which they were held. */
  readonly parts: Set<CountedPart>
}

/** The memory of a part in addition to its bytes, so that many small parts count too. */
const bytesBesidePart = 1000

/** Creates the count of a listener. A part that is larger than the limit is held if it is the only one. */
export function createHeldBytes({ limitBytes, keyOf }: HeldBytesOptions): HeldBytes {
  const shares = new Map<string, Share>()
  let bytes = 0
  let count = 0
  const release = (part: CountedPart): void => {
    const share = shares.get(part.key)
    if (!share?.parts.delete(part)) return
    bytes -= part.bytes
    share.bytes -= part.bytes
    count--
    if (share.parts.size === 0) shares.delete(part.key)
  }
  const hold = (part: CountedPart): void => {
    const share = shares.get(part.key) ?? { bytes: 0, parts: new Set() }
    shares.set(part.key, share)
    share.parts.add(part)
    share.bytes += part.bytes
    count++
    bytes += part.bytes
  }
  return {
    hold({ bytes: held, peerAddress, cutOff }) {
      const part = { bytes: held + bytesBesidePart, key: keyOf(peerAddress), cutOff }
      hold(part)
      while (bytes > limitBytes && count > 1) {
        const [cut] = heaviest(shares)?.parts ?? []
        if (!cut) break
        release(cut)
        cut.cutOff()
      }
      return { release: () => release(part) }
    },
  }
}

function heaviest(shares: ReadonlyMap<string, Share>): Share | undefined {
  let found: Share | undefined
  for (const share of shares.values()) if (!found || share.bytes > found.bytes) found = share
  return found
}
