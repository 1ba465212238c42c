/** What a handler answers. `Content-Length` is set by the adapters. */
export interface HttpReply {
  /** 200 to 599. */
  readonly status: number
  /** In order; a name may stand several times, as `Set-Cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A text is sent as UTF-8. Nothing is sent for HEAD, 204, 205 and 304, whatever stands here. */
  readonly body: string | Uint8Array | null
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** Tells whether replies of this status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
export function isBodiless(status: number): boolean {
  return bodiless.has(status)
}
