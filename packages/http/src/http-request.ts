/** A request as handlers see it, independent of the runtime. */
export interface HttpRequest {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string
  /** Path and query (origin-form, RFC 9112 §3.2.1), whole even below the mount point of a router. */
  readonly target: string
  /**
   * The host that the target names (RFC 9110 §7.1), which counts in place of the `Host` header: of the absolute form, of
   * `:authority`, and of the URL of a Fetch request that has no such header. `null` or omitted: the target names none.
   */
  readonly authority?: string | null
  /**
   * The headers by their names in lower case. One that was sent more than once is never dropped but joined, by `; ` for
   * `cookie` and by `, ` for every other name, so that two `Authorization` headers cannot pass for one.
   */
  readonly headers: ReadonlyMap<string, string>
  /**
   * The cookies by their names in lower case, without characters that a name cannot have; `name` is as it was sent. `value` is
   * `null` for a malformed cookie, and for one that was sent twice.
   */
  readonly cookies: ReadonlyMap<string, { readonly name: string; readonly value: string | null }>
  /** The address at the other end of the connection, which may be a proxy's. `null` if it is unknown. */
  readonly peerAddress: string | null
  /** Aborted when the client disconnects before it has the response. */
  readonly signal: AbortSignal
  /**
   * Keeps the platform from cancelling this request's work after the response: a handler passes every promise that it
   * does not await. Omitted if the process continues anyway.
   */
  waitUntil?(work: Promise<unknown>): void
  /**
   * Returns the body as text: UTF-8, without a byte order mark, empty without a body. It can be read once.
   *
   * @param limitBytes the most bytes it may have, at least 0.
   * @throws HttpError `HTTP_BODY_TOO_LARGE` as soon as it exceeds the limit, `HTTP_BODY_INVALID`, `HTTP_BODY_ABORTED`,
   * `HTTP_BODY_ALREADY_READ`; TypeError if the limit is not a whole number.
   */
  body(limitBytes: number): Promise<string>
}
