import type { Duplex } from 'node:stream'
import type { StreamLimits } from '../stream-limits.ts'
import { createFrameCount } from './frame-count.ts'

const leastFrames = 1_000
/** All streams of a socket can be opened and closed within a second. */
const framesPerStream = 5
const messagesOfMostBytes = 10
/** The bytes that are parsed between two checks. A frame has at least six. */
const pieceBytes = 512
/** RFC 6455 §7.4.1: the client violates a policy. */
const policyViolation = 1008

/**
 * Limits the frames and bytes of a client in each second. Fragments, pings and pongs count like messages, as they
 * arrive on the connection. A socket over the limit is closed with 1008, and its connection is no longer read.
 */
export function limitFrames(
  connection: Duplex,
  limits: Pick<StreamLimits, 'streamsPerSocket' | 'messageBytes'>,
  close: (code: number, reason: string) => void,
): void {
  const frames = createBudget(Math.max(leastFrames, framesPerStream * limits.streamsPerSocket))
  const bytes = createBudget(messagesOfMostBytes * limits.messageBytes)
  const count = createFrameCount()
  let isOver = false
  // The listener of the WebSocket, which was just opened.
  const parse = connection.listeners('data').at(-1)
  if (!parse) return
  connection.off('data', parse as (chunk: Buffer) => void)
  connection.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !isOver; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes)
      isOver = !frames.take(count.next(piece)) || !bytes.take(piece.length)
      if (!isOver) parse.call(connection, piece)
      else {
        connection.pause()
        close(policyViolation, 'RATE_LIMITED')
      }
    }
  })
}

interface Budget {
  /** Returns `false` if the amount exceeds the budget of a second. */
  take(amount: number): boolean
}

function createBudget(perSecond: number): Budget {
  let left = perSecond
  let since = performance.now()
  return {
    take(amount) {
      const now = performance.now()
      if (now - since >= 1_000) {
        since = now
        left = perSecond
      }
      left -= amount
      return left >= 0
    },
  }
}
