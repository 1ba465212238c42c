/**
 * Returns all that a stream has, or `null` when that is more than the limit: the stream is cancelled then, and what it would
 * still send is never held. For the bodies of answers, which are as large as others make them.
 *
 * What the stream rejects with passes through. After the signal has aborted the bytes are what had arrived: a caller with a
 * deadline judges it as well.
 *
 * @param stream the body of a `Response`; `null`, as for a body that is not there: no bytes.
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
