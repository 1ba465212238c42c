import { collectBytes } from '@latchkey/bytes/internal'
import { describe, expect, test } from 'vitest'

/** A stream of these chunks, which then waits for ever or ends. */
function streamOf(chunks: readonly Uint8Array[], { ends = true } = {}) {
  const seen = { sent: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = chunks[seen.sent]
        if (next) {
          seen.sent++
          controller.enqueue(next)
        } else if (ends) controller.close()
        else await new Promise(() => {})
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

const chunk = (length: number, value = 7) => new Uint8Array(length).fill(value)

describe('the bytes of a stream', () => {
  test.each([
    ['none', [], 0],
    ['one chunk', [chunk(3)], 3],
    ['several chunks in their order', [chunk(2, 1), chunk(0), chunk(3, 2)], 5],
  ])('are there as a whole: %s', async (_what, chunks, length) => {
    const bytes = await collectBytes(streamOf(chunks).stream, { limitBytes: 5 })
    expect([...(bytes ?? [])]).toEqual(chunks.flatMap((one) => [...one]))
    expect(bytes).toHaveLength(length)
  })

  test('are empty without a stream', async () => {
    expect(await collectBytes(null, { limitBytes: 0 })).toEqual(new Uint8Array(0))
  })

  test('are null if they exceed the limit by one byte, and the source is cancelled without a further read', async () => {
    const { stream, seen } = streamOf([chunk(3), chunk(3), chunk(3)])
    expect(await collectBytes(stream, { limitBytes: 5 })).toBeNull()
    expect(seen).toEqual({ sent: 2, cancelled: true })
  })

  test('are null beyond the limit though the source does not end when it is cancelled', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk(10)),
      cancel: () => new Promise(() => {}),
    })
    expect(await collectBytes(stream, { limitBytes: 5 })).toBeNull()
  })

  test('are those received so far when the signal aborts, and the source is cancelled', async () => {
    const { stream, seen } = streamOf([chunk(3)], { ends: false })
    const deadline = new AbortController()
    const collecting = collectBytes(stream, { limitBytes: 5, signal: deadline.signal })
    await expect.poll(() => seen.sent).toBe(1)
    deadline.abort()
    await collecting
    expect(seen.cancelled).toBe(true)
  })

  test('are not waited for when the signal had aborted before', async () => {
    const { stream, seen } = streamOf([], { ends: false })
    await collectBytes(stream, { limitBytes: 5, signal: AbortSignal.abort() })
    expect(seen.cancelled).toBe(true)
  })

  test('reject with the error of the stream', async () => {
    const failure = new Error('the connection was reset')
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(failure) })
    await expect(collectBytes(stream, { limitBytes: 5 })).rejects.toBe(failure)
  })
})
