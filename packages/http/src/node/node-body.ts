import type { IncomingMessage } from 'node:http'
import { type BodyCollector, createBodyCollector } from '../body-text.ts'
import { HttpError } from '../errors.ts'
import { readRawHeader } from '../headers/raw-header.ts'
import type { Held, HeldBytes } from './held-bytes.ts'

/**
 * Returns the body of a message as text; rejects as `HttpRequest.body` does.
 *
 * @param held counts what of the body has arrived until all of it has.
 */
export async function readNodeBody(message: IncomingMessage, limitBytes: number, held?: HeldBytes): Promise<string> {
  const declared = readRawHeader(message.rawHeaders, 'content-length')
  const collector = createBodyCollector(limitBytes, declared)
  if (wasRead(message)) collector.add(rawBodyOf(message))
  else await collect(message, collector, held && countUnfinished(message, { collector, held, declared }))
  return collector.text()
}

function wasRead(message: IncomingMessage): boolean {
  return message.readableDidRead || message.readableEnded || message.readableEncoding !== null
}

/** Returns the raw bytes, which some platforms read beforehand and keep. The result of a parser is not accepted. */
function rawBodyOf(message: IncomingMessage): Uint8Array {
  const { rawBody } = message as { readonly rawBody?: unknown }
  if (rawBody instanceof Uint8Array) return rawBody
  throw new HttpError(
    'HTTP_BODY_ALREADY_READ',
    'the body was read before: mount this handler before body parsers such as express.json()',
  )
}

function collect(message: IncomingMessage, collector: BodyCollector, count?: UnfinishedBody): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      count?.release()
      message.off('data', onData).off('end', settle).off('error', onLost).off('close', onLost)
      if (error) reject(error)
      else resolve()
    }
    const onLost = (cause?: unknown): void => {
      settle(new HttpError('HTTP_BODY_ABORTED', 'the body ended before it was complete', { cause }))
    }
    const onData = (chunk: Uint8Array): void => {
      try {
        collector.add(chunk)
        count?.update()
      } catch (error) {
        message.pause()
        settle(error)
      }
    }
    if (message.destroyed) onLost(message.errored)
    else message.on('data', onData).on('end', settle).on('error', onLost).on('close', onLost)
  })
}

interface UnfinishedBody extends Held {
  update(): void
}

interface UnfinishedParts {
  readonly collector: BodyCollector
  readonly held: HeldBytes
  readonly declared: string | null
}

/** Counts the memory of a body as it grows. A body that arrives in one chunk is finished at once and not counted. */
function countUnfinished(message: IncomingMessage, { collector, held, declared }: UnfinishedParts): UnfinishedBody {
  const peerAddress = message.socket.remoteAddress ?? null
  const cutOff = (): void => void message.destroy()
  let counted: Held | null = null
  let bytes = 0
  return {
    update() {
      if (bytes === collector.heldBytes) return
      bytes = collector.heldBytes
      if (bytes === Number(declared)) return
      counted?.release()
      counted = held.hold({ bytes, peerAddress, cutOff })
    },
    release: () => counted?.release(),
  }
}
