/** The end of a head and of a chunked body (RFC 9112 §2.1, §7.1). */
const blankLine = Buffer.from('\r\n\r\n')
const overlap = blankLine.length - 1

/** Finds where heads and chunked bodies may end. */
export interface HeadEnds {
  /** Returns the length up to the end of the first blank line, or of all the bytes. The next call continues from there. */
  next(bytes: Buffer): number
}

export function createHeadEnds(): HeadEnds {
  // The end of the bytes before, because a blank line may arrive in parts.
  let tail = ''
  return {
    next(bytes) {
      const end = endOfBlankLine(tail, bytes)
      tail = end === null ? (tail + bytes.toString('latin1', Math.max(0, bytes.length - overlap))).slice(-overlap) : ''
      return end ?? bytes.length
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
