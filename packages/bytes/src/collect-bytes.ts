/**
 * Returns all bytes of a stream, or `null` if they exceed the limit. The stream is then cancelled and the rest is not
 * buffered. Use it for response bodies, because the other server chooses their size. If the signal aborts, the bytes
 * received so far are returned, so a caller with a deadline must check the signal too.
 *
 * @param stream the body of a `Response`; `null` is an empty body.
 * @throws the error of the stream.
 */
export async function collectBytes(
  stream: ReadableStream<Uint8Array> | null,
  {
    limitBytes,
    signal,
  }: {
    /** As many bytes are taken, and not one more. */
    readonly limitBytes: number
    /** Cancels the stream when it aborts, also one whose source does not know of it. */
    readonly signal?: AbortSignal
  },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = stream?.getReader()
  // Not awaited: a source that hangs would hold back the verdict.
  const cancel = (): void => void reader?.cancel().catch(() => null)
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      length += part.value.length
      chunks.push(part.value)
      if (length <= limitBytes) continue
      cancel()
      return null
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
  return joinChunks(chunks, length)
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
