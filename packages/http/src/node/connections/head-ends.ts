/** Ends a head, and a body in chunks (RFC 9112 §2.1, §7.1). */
const blankLine = Buffer.from('\r\n\r\n')
const overlap = blankLine.length - 1

/** Finds where heads and chunked bodies may end. */
export interface HeadEnds {
  /** Returns how many of the bytes, `most` at most, come up to the end of the first blank line. They count as parsed. */
  next(bytes: Buffer, most: number): number
  /** Forgets what was parsed: a body of a declared length has no such end. */
  forget(): void
}

export function createHeadEnds(): HeadEnds {
  // A blank line may arrive in parts.
  let tail = ''
  return {
    next(bytes, most) {
      const end = endOfBlankLine(tail, bytes.subarray(0, most))
      const length = end ?? Math.min(bytes.length, most)
      tail =
        end === null ? (tail + bytes.toString('latin1', Math.max(0, length - overlap), length)).slice(-overlap) : ''
      return length
    },
    forget() {
      tail = ''
    },
  }
}

function endOfBlankLine(tail: string, bytes: Buffer): number | null {
  if (tail !== '') {
    const across = (tail + bytes.toString('latin1', 0, overlap)).indexOf('\r\n\r\n')
    if (across >= 0) return across + blankLine.length - tail.length
  }
  const at = bytes.indexOf(blankLine)
  return at < 0 ? null : at + blankLine.length
}
