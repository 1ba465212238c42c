import { HttpError } from './errors.ts'

/** Puts a body together and stops at its limit. */
export interface BodyCollector {
  /** The bytes of memory that the body holds so far. */
  readonly heldBytes: number
  /** @throws HttpError `HTTP_BODY_TOO_LARGE` when this chunk exceeds the limit, or when the chunks are absurdly small. */
  add(chunk: Uint8Array): void
  /** @throws HttpError `HTTP_BODY_INVALID` */
  text(): string
}

/** The least that a chunk costs, in bytes. */
const leastChunkBytes = 16
/** The most that small chunks may cost beyond the bytes of their body. */
const chunkAllowanceBytes = 64_000
const leastCapacity = 1_024

/**
 * @param declared the `Content-Length` header: a body that says it is too large is refused before any of it is read.
 * @throws TypeError when the limit is not a whole number; HttpError `HTTP_BODY_TOO_LARGE`.
 */
export function createBodyCollector(limitBytes: number, declared: string | null): BodyCollector {
  if (!Number.isSafeInteger(limitBytes) || limitBytes < 0) {
    throw new TypeError('"limitBytes" must be a whole number of bytes, at least 0')
  }
  if (Number(declared) > limitBytes) throw tooLarge(limitBytes)
  let bytes: Uint8Array = new Uint8Array()
  let length = 0
  let cost = 0
  return {
    get heldBytes() {
      return bytes.length
    },
    add(chunk) {
      if (length + chunk.length > limitBytes) throw tooLarge(limitBytes)
      cost += Math.max(chunk.length, leastChunkBytes)
      if (cost > length + chunk.length + chunkAllowanceBytes) {
        throw new HttpError(
          'HTTP_BODY_TOO_LARGE',
          `the chunks of the body have fewer than ${leastChunkBytes} bytes on average`,
        )
      }
      const needed = length + chunk.length
      // Most bodies are one chunk, which is not copied.
      if (length === 0) bytes = chunk
      else {
        if (needed > bytes.length)
          bytes = grow(bytes.subarray(0, length), Math.min(2 * needed + leastCapacity, limitBytes))
        bytes.set(chunk, length)
      }
      length = needed
    },
    text: () => decodeText(bytes.subarray(0, length)),
  }
}

function grow(bytes: Uint8Array, capacity: number): Uint8Array {
  const grown = new Uint8Array(capacity)
  grown.set(bytes)
  return grown
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws HttpError `HTTP_BODY_INVALID` */
function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new HttpError('HTTP_BODY_INVALID', 'the body is not UTF-8')
  }
}

function tooLarge(limitBytes: number): HttpError {
  return new HttpError('HTTP_BODY_TOO_LARGE', `the body has more than ${limitBytes} bytes`)
}
