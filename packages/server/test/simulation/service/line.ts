import type { Machine } from '../world/machine.ts'
import { runIn } from '../world/machine.ts'

/** A stream of events, as its client has it. */
export interface Line {
  readonly machine: Machine
  /** The texts that arrived. */
  readonly heard: string[]
  /** How the service has ended it: for good, or so that its client connects again. */
  end: 'for good' | 'to reconnect' | null
  /** Whether its client has left it. */
  isLeft: boolean
  /** The connection is lost: the service is told, or its client reads no more. */
  readonly leave: (way: 'closed' | 'cancelled' | 'unread') => void
}

/** Reads a stream of server-sent events in its machine. */
export function readLine(machine: Machine, body: ReadableStream<Uint8Array>, close: AbortController): Line {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const line: Line = {
    ...{ machine, heard: [], end: null, isLeft: false },
    leave(way) {
      line.isLeft = true
      if (way === 'closed') runIn(machine, () => close.abort())
      if (way === 'cancelled') runIn(machine, () => reader.cancel()).catch(() => undefined)
    },
  }
  void read(line, async () => {
    const { done, value } = await reader.read()
    return done ? null : decoder.decode(value)
  }).catch(() => {
    line.end ??= 'to reconnect'
  })
  return line
}

async function read(line: Line, next: () => Promise<string | null>): Promise<void> {
  let isComplete = false
  while (!line.isLeft) {
    const text = await next()
    if (line.isLeft || text === null) break
    const posted = /"posted":"([^"]+)"/.exec(text)?.[1]
    if (posted !== undefined) line.heard.push(posted)
    isComplete = text.includes('event: complete')
  }
  line.end ??= isComplete ? 'for good' : 'to reconnect'
}
