import type { IncomingMessage } from 'node:http'
import { type BodyCollector, createBodyCollector } from '../body-text.ts'
import { HttpError } from '../errors.ts'
import { readRawHeader } from '../raw-header.ts'

/** Returns the body of a message as text; rejects as `HttpRequest.body` does. */
export async function readNodeBody(message: IncomingMessage, limitBytes: number): Promise<string> {
  const collector = createBodyCollector(limitBytes, readRawHeader(message.rawHeaders, 'content-length'))
  if (wasRead(message)) collector.add(rawBodyOf(message))
  else await collect(message, collector)
  return collector.text()
}

function wasRead(message: IncomingMessage): boolean {
  return message.readableDidRead || message.readableEnded || message.readableEncoding !== null
}

/** The bytes as they came, which some platforms read beforehand and keep. What a parser made of them will not do. */
function rawBodyOf(message: IncomingMessage): Uint8Array {
  const { rawBody } = message as { readonly rawBody?: unknown }
  if (rawBody instanceof Uint8Array) return rawBody
  throw new HttpError(
    'BODY_ALREADY_READ',
    'the body was read before: mount this handler before body parsers such as express.json()',
  )
}

function collect(message: IncomingMessage, collector: BodyCollector): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      message.off('data', onData).off('end', settle).off('error', onLost).off('close', onLost)
      if (error) reject(error)
      else resolve()
    }
    const onLost = (cause?: unknown): void => {
      settle(new HttpError('BODY_ABORTED', 'the body ended before it was complete', { cause }))
    }
    const onData = (chunk: Uint8Array): void => {
      try {
        collector.add(chunk)
      } catch (error) {
        message.pause()
        settle(error)
      }
    }
    if (message.destroyed) onLost(message.errored)
    else message.on('data', onData).on('end', settle).on('error', onLost).on('close', onLost)
  })
}
