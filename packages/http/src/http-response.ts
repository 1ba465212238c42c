/** The response of a handler. The adapters set `Content-Length`. */
export interface HttpResponse {
  /** 200 to 599. */
  readonly status: number
  /** In order; a name may stand several times, as `Set-Cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A text is sent as UTF-8. For HEAD, 204, 205 and 304 it is not sent. */
  readonly body: string | Uint8Array | HttpStream | null
}

/**
 * A body that is sent while it is produced, without a length. The next text is read once the one before was sent, so a
 * client that does not read holds back its source. The adapters `return` it as soon as the client has disconnected.
 */
export interface HttpStream extends AsyncIterable<string> {
  /** Aborted when the rest is not worth waiting for: the connection is cut off in the middle. */
  readonly cut?: AbortSignal
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether responses of this status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
export function isBodiless(status: number): boolean {
  return bodiless.has(status)
}

/** Whether a body is a stream. */
export function isStream(body: HttpResponse['body']): body is HttpStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}
