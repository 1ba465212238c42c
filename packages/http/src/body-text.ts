import { HttpError } from './errors.ts'

/** Puts a body together and stops at its limit. */
export interface BodyCollector {
  /** @throws HttpError `BODY_TOO_LARGE` when the limit is exceeded by this chunk. */
  add(chunk: Uint8Array): void
  /** @throws HttpError `BODY_NOT_UTF8` */
  text(): string
}

/**
 * @param declared the `Content-Length` header: a body that says it is too large is refused before any of it is read.
 * @throws TypeError when the limit is not a whole number; HttpError `BODY_TOO_LARGE`.
 */
export function createBodyCollector(limitBytes: number, declared: string | null): BodyCollector {
  if (!Number.isSafeInteger(limitBytes) || limitBytes < 0) {
    throw new TypeError('"limitBytes" must be a whole number of bytes, at least 0')
  }
  if (Number(declared) > limitBytes) throw tooLarge(limitBytes)
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    add(chunk) {
      length += chunk.length
      if (length > limitBytes) throw tooLarge(limitBytes)
      chunks.push(chunk)
    },
    text: () => decodeText(joinChunks(chunks, length)),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws HttpError `BODY_NOT_UTF8` */
function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new HttpError('BODY_NOT_UTF8', 'the body is not UTF-8')
  }
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (first && chunks.length === 1) return first
  const joined = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}

function tooLarge(limitBytes: number): HttpError {
  return new HttpError('BODY_TOO_LARGE', `the body has more than ${limitBytes} bytes`)
}
