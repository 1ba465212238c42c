/** A body that arrives once it is asked for and let go. */
export function createLateBody(text: string) {
  const asked = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        asked.resolve()
        await sent.promise
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, asked: asked.promise, send: sent.resolve }
}
