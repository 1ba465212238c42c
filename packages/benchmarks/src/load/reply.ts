/** A complete reply. */
export interface Reply {
  readonly status: number
  readonly body: string
}

const endOfHead = Buffer.from('\r\n\r\n')
const endOfChunks = Buffer.from('0\r\n\r\n')

/**
 * Returns the status of a complete reply in HTTP/1.1, and `null` for an incomplete reply. A body has a length or comes
 * in chunks: the servers under load send no other replies.
 */
export function readStatus(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(endOfHead)
  if (headEnd < 0) return null
  const bodyStart = headEnd + endOfHead.length
  const length = readLength(bytes.toString('latin1', 0, headEnd))
  const isWhole =
    length === null
      ? bytes.subarray(Math.max(bodyStart, bytes.length - endOfChunks.length)).equals(endOfChunks)
      : bytes.length >= bodyStart + length
  return isWhole ? Number(bytes.toString('latin1', 9, 12)) : null
}

/** Returns status and body of a reply of which all is there. */
export function readReply(bytes: Buffer): Reply {
  const bodyStart = bytes.indexOf(endOfHead) + endOfHead.length
  const head = bytes.toString('latin1', 0, bodyStart)
  const body = bytes.subarray(bodyStart)
  const whole = readLength(head) === null ? joinChunks(body) : body
  return { status: Number(bytes.toString('latin1', 9, 12)), body: whole.toString() }
}

/** `null`: it comes in chunks. */
function readLength(head: string): number | null {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return length === undefined ? null : Number(length)
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(length > 0)) break
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
  return Buffer.concat(chunks)
}
