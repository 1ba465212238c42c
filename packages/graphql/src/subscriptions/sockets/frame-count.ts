/** Counts the frames of a WebSocket in the bytes of its connection (RFC 6455 §5.2). */
export interface FrameCount {
  /** Returns the number of frames that start in the next bytes. */
  next(bytes: Uint8Array): number
}

const extendedBytes: Readonly<Record<number, number>> = { 126: 2, 127: 8 }
const maskBytes = 4

export function createFrameCount(): FrameCount {
  // The bytes of an incomplete head.
  let head: number[] = []
  // The missing bytes of a payload.
  let payload = 0
  return {
    next(bytes) {
      let frames = 0
      let at = 0
      while (at < bytes.length) {
        const skipped = Math.min(payload, bytes.length - at)
        payload -= skipped
        at += skipped
        if (payload > 0 || at === bytes.length) break
        if (head.length === 0) frames++
        head.push(bytes[at++] ?? 0)
        const length = payloadLength(head)
        if (length === null) continue
        payload = length
        head = []
      }
      return frames
    },
  }
}

/** Returns `null` if the head is incomplete. */
function payloadLength(head: readonly number[]): number | null {
  const second = head[1]
  if (second === undefined) return null
  const short = second & 0x7f
  const extended = extendedBytes[short] ?? 0
  if (head.length < 2 + extended + (second & 0x80 ? maskBytes : 0)) return null
  return extended === 0 ? short : head.slice(2, 2 + extended).reduce((sum, byte) => sum * 256 + byte, 0)
}
