import { type HttpResponse, type HttpStream, isBodiless, isStream } from '../http-response.ts'

/** Returns the Fetch response of a response. */
export function toFetchResponse(response: HttpResponse, method: string): Response {
  const headers = new Headers()
  for (const [name, value] of response.headers) headers.append(name, value)
  headers.delete('content-length')
  const { status, body } = response
  if (isBodiless(status)) return new Response(null, { status, headers })
  if (isStream(body)) return new Response(method === 'HEAD' ? dropStream(body) : readableOf(body), { status, headers })
  // Bytes, because a text would be given a content type that the handler did not choose.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body ?? [])
  headers.set('content-length', String(bytes.length))
  return new Response(method === 'HEAD' || bytes.length === 0 ? null : bytes, { status, headers })
}

/** Reads the next chunk when there is room for it. */
function readableOf(stream: HttpStream): ReadableStream<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cutOff = (): void => controller.error(new Error('the stream was cut off'))
        if (stream.cut?.aborted) cutOff()
        else stream.cut?.addEventListener('abort', cutOff, { once: true })
      },
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (stream.cut?.aborted) return
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  )
}

function dropStream(stream: HttpStream): null {
  void stream[Symbol.asyncIterator]().return?.()
  return null
}
