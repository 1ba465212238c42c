import type { ServerResponse } from 'node:http'
import type { HttpStream } from '../http-response.ts'

/**
 * Writes a stream, each chunk after the previous chunk has left, and finishes the response. An error of the source cuts
 * the response off, so that its client does not take a part for the whole, and is rethrown.
 */
export async function writeStream(response: ServerResponse, stream: HttpStream): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  const cutOff = (): void => void response.destroy()
  // What waits for the next piece learns from the end of the source that the client has disconnected.
  const leave = (): void => void iterator.return?.()
  stream.cut?.addEventListener('abort', cutOff, { once: true })
  response.once('close', leave)
  if (stream.cut?.aborted) cutOff()
  try {
    response.flushHeaders()
    while (!response.destroyed) {
      const piece = await iterator.next()
      if (piece.done) return void response.end()
      if (!response.destroyed && !response.write(piece.value)) await roomFor(response)
    }
  } catch (error) {
    cutOff()
    throw error
  } finally {
    stream.cut?.removeEventListener('abort', cutOff)
    response.off('close', leave)
    if (response.destroyed) leave()
  }
}

function roomFor(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const proceed = (): void => {
      response.off('drain', proceed).off('close', proceed)
      resolve()
    }
    if (response.destroyed) resolve()
    else response.once('drain', proceed).once('close', proceed)
  })
}
